"""run.py FILE... - run tests with pytest, as CTest does: exit code 77 where pytest is missing, unless SEGUE_REQUIRE_PYTHON
is set.
SPDX-License-Identifier: Apache-2.0"""
import os
import sys


def main() -> int:
    try:
        import pytest
    except ImportError:
        print("skipped: no pytest for /usr/bin/python3; run 'scripts/install-deps python'")
        return 1 if os.environ.get("SEGUE_REQUIRE_PYTHON") else 77
    code = int(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]]))
    return 77 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


if __name__ == "__main__":
    sys.exit(main())
