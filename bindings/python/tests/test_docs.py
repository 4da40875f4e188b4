"""Every public name has a docstring with an example, and the examples hold.
SPDX-License-Identifier: Apache-2.0"""
import doctest
import importlib
import inspect
import pathlib
import pkgutil

import pytest
import segue

PLAIN = {"__module__", "__doc__", "__new__", "__repr__", "__init__", "__weakref__", "__dict__"}
RECORDS = ("Type", "Feature", "Explanation")  # their fields have one line each


def members(name, thing):
    """The documented parts of a public name."""
    yield name, thing
    if not inspect.isclass(thing) or name in RECORDS or issubclass(thing, BaseException):
        return
    for key, value in vars(thing).items():
        if key not in PLAIN and (not key.startswith("_") or key in ("__enter__", "__exit__", "_repr_html_")):
            yield f"{name}.{key}", value


# What is written in Python is documented in its modules, which doctest finds.
NATIVE = [pair for name in segue.__all__ if name != "__version__" for pair in members(name, getattr(segue, name))
          if getattr(getattr(segue, name), "__module__", "") in ("segue", "segue._segue")]
MODULES = ["segue"] + [info.name for info in pkgutil.walk_packages(segue.__path__, "segue.")
                       if info.name != "segue._segue" and not info.name.startswith("segue.adapters")]


@pytest.mark.parametrize("name,thing", NATIVE, ids=[name for name, _ in NATIVE])
def test_a_docstring_has_examples_that_hold(name, thing):
    text = inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {"segue": segue}, name, None, 0)
    assert test.examples, f"the docstring of {name} has no example"
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"segue": segue}, optionflags=doctest.ELLIPSIS).failed == 0


def test_a_record_describes_its_fields():
    for name in RECORDS:
        record = getattr(segue, name)
        for field in record.__match_args__:
            assert getattr(record, field).__doc__, f"{name}.{field}"


def test_the_guide_holds():
    guide = pathlib.Path(__file__).parents[3] / "docs/python.md"
    if not guide.exists():
        pytest.skip("docs/python.md is not beside the tests")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(guide), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 0 and result.failed == 0


def test_signatures_are_shown():
    assert str(inspect.signature(segue.Task.tell)) == "(self, /, arm, reward)"
    assert str(inspect.signature(segue.Learner)).startswith("(arms, steps=None, method='auto'")
