"""The C library through ctypes: what the tests and the benchmark compare the package with.
SPDX-License-Identifier: Apache-2.0"""
import ctypes
import os

MAX_TEXT = 4096


class CError(Exception):
    """A failure, with the library's sentence."""


def _load():
    library = ctypes.CDLL(os.environ["SEGUE_LIBRARY"])
    library.segue_task_ask.restype = ctypes.c_size_t
    library.segue_task_ask.argtypes = [ctypes.c_void_p]
    library.segue_task_tell.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double, ctypes.c_void_p]
    library.segue_task_mean.restype = ctypes.c_double
    library.segue_task_mean.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.segue_learner_destroy.argtypes = [ctypes.c_void_p]
    library.segue_learner_version.restype = ctypes.c_uint64
    library.segue_learner_version.argtypes = [ctypes.c_void_p]
    return library


class CTask:
    """A task of CLearner: arms are indices."""

    def __init__(self, learner):
        self.learner, self.handle = learner, ctypes.c_void_p()
        learner.check(learner.library.segue_learner_open_task(learner.handle, ctypes.byref(self.handle), learner.error))

    def ask(self, exclude=()):
        if not exclude:
            return self.learner.library.segue_task_ask(self.handle)
        allowed = (ctypes.c_bool * self.learner.n_arms)(*(i not in exclude for i in range(self.learner.n_arms)))
        arm = ctypes.c_size_t()
        self.learner.check(self.learner.library.segue_task_ask_among(self.handle, allowed, ctypes.byref(arm),
                                                                     self.learner.error))
        return arm.value

    def tell(self, arm, reward):
        self.learner.check(self.learner.library.segue_task_tell(self.handle, arm, reward, self.learner.error))

    def probabilities(self, draws):
        out, exact = (ctypes.c_double * self.learner.n_arms)(), ctypes.c_bool()
        self.learner.check(self.learner.library.segue_task_probabilities(
            self.handle, None, ctypes.c_uint64(draws), out, ctypes.byref(exact), self.learner.error))
        return list(out)

    def mean(self, arm):
        return self.learner.library.segue_task_mean(self.handle, arm)

    def close(self):
        self.learner.check(self.learner.library.segue_learner_close_task(self.learner.handle, ctypes.byref(self.handle),
                                                                         self.learner.error))


class CLearner:
    """A learner that was saved to a file."""

    def __init__(self, path, n_arms):
        self.library, self.n_arms, self.handle = _load(), n_arms, ctypes.c_void_p()
        self.error = ctypes.create_string_buffer(MAX_TEXT)  # larger than segue_error: a status and its sentence
        self.check(self.library.segue_learner_load(ctypes.byref(self.handle), os.fsencode(path), ctypes.c_size_t(n_arms),
                                                   self.error))

    def check(self, status):
        if status != 0:
            raise CError(self.error.raw[ctypes.sizeof(ctypes.c_int):].split(b"\0")[0].decode())

    def task(self):
        return CTask(self)

    def save(self, path):
        self.check(self.library.segue_learner_save(self.handle, os.fsencode(path), self.error))

    def version(self):
        return self.library.segue_learner_version(self.handle)

    def destroy(self):
        self.library.segue_learner_destroy(self.handle)
        self.handle = ctypes.c_void_p()
