"""The module itself: names, exceptions, interpreters.
SPDX-License-Identifier: Apache-2.0"""
import segue


def test_has_every_public_name():
    for name in segue.__all__:
        assert hasattr(segue, name)


def test_an_unknown_name_is_shown_as_a_sentence():
    assert str(segue.UnknownName("there is no arm 'x'")) == "there is no arm 'x'"
    assert issubclass(segue.UnknownName, KeyError)
