"""The expected answer, in FP64."""


def reference(a, b, n):
    return a + b
