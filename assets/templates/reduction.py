"""The expected answer: a and b are arrays of FP64, and `count` results are wanted."""


def expected(a, b, count):
    return [(a * a).sum()]
