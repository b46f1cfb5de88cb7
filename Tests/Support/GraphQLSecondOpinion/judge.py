"""The results of graphql-core for documents.

Reads one question per line: JSON with "document" (base64) and, if our parser accepted it, "printed" (text).
Answers one line each: {"accepts": true, "same": whether the printed text means the same} or
{"accepts": false, "place": "line:column" or null, "message": text}.
"""

import base64
import json
import sys

from graphql import GraphQLSyntaxError, parse
from graphql.utilities import ast_to_dict


def meaning(text):
    """The syntax tree without source places, and without the information whether a string was a block string."""

    def plain(node):
        if isinstance(node, dict):
            return {key: plain(value) for key, value in node.items() if key != "block"}
        if isinstance(node, (list, tuple)):
            return [plain(value) for value in node]
        return node

    return plain(ast_to_dict(parse(text, no_location=True)))


def answer(question):
    try:
        text = base64.b64decode(question["document"]).decode("utf-8")
        theirs = meaning(text)
    except UnicodeDecodeError:
        return {"accepts": False, "place": None, "message": "not UTF-8"}
    except GraphQLSyntaxError as error:
        place = error.locations[0]
        return {"accepts": False, "place": f"{place.line}:{place.column}", "message": error.message}
    if question.get("printed") is None:
        return {"accepts": True, "same": None}
    try:
        return {"accepts": True, "same": meaning(question["printed"]) == theirs}
    except GraphQLSyntaxError as error:
        return {"accepts": True, "same": False, "message": error.message}


sys.setrecursionlimit(20_000)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
