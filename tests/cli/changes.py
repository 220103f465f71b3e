"""Copies of JSON values with one change: the value at a path of keys and indices."""

import copy


def parent(top, path):
    """The object or array that has the value at a path."""
    for key in path[:-1]:
        top = top[key]
    return top


def changed(top, path, value):
    """A copy with another value there; None: without it."""
    top = copy.deepcopy(top)
    if value is None:
        del parent(top, path)[path[-1]]
    else:
        parent(top, path)[path[-1]] = value
    return top


def renamed(top, path, key):
    """A copy with another key there."""
    top = copy.deepcopy(top)
    at = parent(top, path)
    members = [(key if k == path[-1] else k, v) for k, v in at.items()]
    at.clear()
    at.update(members)
    return top
