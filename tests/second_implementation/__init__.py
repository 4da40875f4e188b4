"""The paper's algorithms and formulas in numpy, written from the paper alone: no code of Segue was read
or translated.  tests/test_second_implementation.py compares both.
SPDX-License-Identifier: Apache-2.0"""
