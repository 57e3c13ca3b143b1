"""The expected answer: a and b are arrays of FP64, and `count` results are wanted."""


def expected(a, b, count):
    mean = a.copy()
    mean[1:] += a[:-1]
    mean[:-1] += a[1:]
    return mean[:count] / 3
