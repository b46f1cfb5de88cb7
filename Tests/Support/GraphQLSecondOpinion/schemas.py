"""The results of graphql-core for schemas.

Reads one question per line: JSON with "schema" (text) and possibly "expected" (text).
Answers each with one line: {"errors": [the errors of the schema], "difference": the first line that differs from the
expected schema after both are sorted, or null}.
"""

import json
import sys
from itertools import zip_longest

from graphql import GraphQLError, build_schema, lexicographic_sort_schema, print_schema, validate_schema


def lines(text):
    return print_schema(lexicographic_sort_schema(build_schema(text))).split("\n")


def difference(text, expected):
    for number, (ours, theirs) in enumerate(zip_longest(lines(text), lines(expected)), start=1):
        if ours != theirs:
            return f"{number}: {ours!r}, expected {theirs!r}"
    return None


def answer(question):
    try:
        errors = [error.message for error in validate_schema(build_schema(question["schema"]))]
    except (GraphQLError, TypeError) as error:
        return {"errors": [str(error)], "difference": None}
    expected = question.get("expected")
    if errors or expected is None:
        return {"errors": errors, "difference": None}
    return {"errors": [], "difference": difference(question["schema"], expected)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
