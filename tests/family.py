"""What the tests of the sparse-vector family share: queries with given values."""


def asking(values):
    return [lambda data, value=value: value for value in values]
