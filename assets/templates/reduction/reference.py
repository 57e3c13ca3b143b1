"""The expected answer, in FP64."""


def reference(a, n):
    return (a * a).sum()
