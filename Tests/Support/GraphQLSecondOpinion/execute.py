"""The results of graphql-core for requests: whether they are valid, and the result of their execution.

Reads one JSON question per line. {"schema": SDL, "strict": bool} is the schema of the later lines; it has no answer.
{"document": text, "variables": JSON text, "operation": name or null} is answered with {"skipped": why}, or
{"invalid": [error…]}, or {"refused": [error…]} before execution, or {"data": JSON text, "errors": [error…]};
an error is [message, ["line:column"…], [path…]]. {"introspection": JSON text} is our answer to the full query and
is answered with {"differences": [text…]}. {"query": "introspection"} is answered with that query.

Resolvers depend only on the object's number, the type, the field and the arguments. The tests use the same resolvers.
"""

import json
import sys

import graphql.type.scalars as scalars
from graphql import (
    GraphQLError,
    build_schema,
    execute,
    get_introspection_query,
    is_abstract_type,
    is_enum_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    parse,
    validate,
)
from graphql.execution import ExecutionContext

MASK = (1 << 64) - 1


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def hashed(string):
    value = 0xCBF29CE484222325
    for byte in string.encode("utf-8"):
        value = ((value ^ byte) * 0x100000001B3) & MASK
    value ^= value >> 29
    value = (value * 0xBF58476D1CE4E5B9) & MASK
    return value ^ (value >> 32)


class Thing:
    """An object: its number, and its type if the field does not determine it."""

    __slots__ = "number", "type_name"

    def __init__(self, number, type_name):
        self.number = number
        self.type_name = type_name


class Failure(Exception):
    pass


def value_of(type_, number, schema):
    if number % 19 == 0:
        return None
    if number % 19 == 1:
        return Failure(f"failure {number % 1000}")
    if is_non_null_type(type_):
        type_ = type_.of_type
    if is_list_type(type_):
        count = (number >> 8) % 4
        return [value_of(type_.of_type, hashed(f"{number}#{index}"), schema) for index in range(count)]
    if is_leaf_type(type_):
        return leaf(type_, number)
    if is_abstract_type(type_):
        names = sorted(possible.name for possible in schema.get_possible_types(type_))
        return Thing(number, names[(number >> 16) % len(names)]) if names else None
    return Thing(number, type_.name)


def leaf(type_, number):
    small = (number >> 16) % 2000 - 1000
    if is_enum_type(type_):
        names = list(type_.values)
        return "NOWHERE" if number % 23 == 0 else names[(number >> 16) % len(names)]
    if type_.name == "Int":
        return 1 << 40 if number % 23 == 0 else "none" if number % 23 == 1 else small
    if type_.name == "Float":
        return small / 8
    if type_.name == "Boolean":
        return bool(number >> 16 & 1)
    if type_.name == "ID":
        return small if number % 2 else f"id{small}"
    if type_.name == "String":
        return f'é"{small}\n'
    return [small, {"b": None, "a": f"{small}"}] if number % 2 else small


def resolve(source, info, **arguments):
    number = hashed(f"{source.number}|{info.parent_type.name}.{info.field_name}|{text(arguments)}")
    return value_of(info.return_type, number, info.schema)


def resolve_type(source, _info, _type):
    return source.type_name


def shown(error):
    places = [f"{place.line}:{place.column}" for place in error.locations or []]
    return [error.message, places, error.path or []]


def answer(schema, question):
    try:
        document = parse(question["document"])
        errors = validate(schema, document)
    except GraphQLError as error:
        # Documents that the two grammars treat differently, and directives of subscriptions, which graphql-core
        # evaluates without variables.
        return {"skipped": error.message}
    if errors:
        return {"invalid": [shown(error) for error in errors]}
    variables = json.loads(question["variables"])
    context = ExecutionContext.build(schema, document, None, None, variables, question["operation"])
    if isinstance(context, list):
        return {"refused": [shown(error) for error in context]}
    result = execute(
        schema, document, Thing(1, None), None, variables, question["operation"], resolve, resolve_type)
    return {"data": text(result.data), "errors": [shown(error) for error in result.errors or []]}


# Introspection

BUILT_IN = {"Int", "Float", "String", "Boolean", "ID"}
BUILT_IN_DIRECTIVES = {"skip", "include", "deprecated", "specifiedBy", "oneOf"}


def without_descriptions(node):
    if isinstance(node, dict):
        return {key: without_descriptions(value) for key, value in node.items() if key != "description"}
    if isinstance(node, list):
        return [without_descriptions(item) for item in node]
    return node


def comparable(schema):
    """The parts by name. Built-in types come without descriptions and without additions of later editions."""
    parts = {"": {key: schema[key] for key in ("description", "queryType", "mutationType", "subscriptionType")}}
    for type_ in schema["types"]:
        name = type_["name"]
        if name.startswith("__") or name in BUILT_IN:
            type_ = without_descriptions(type_)
        if name in ("__Schema", "__Directive"):
            type_["fields"] = [
                {**field, "args": []} if field["name"] == "directives" else field
                for field in type_["fields"]
                if name == "__Schema" or field["name"] not in ("isDeprecated", "deprecationReason")
            ]
        if name == "__DirectiveLocation":
            type_["enumValues"] = [
                value for value in type_["enumValues"] if value["name"] != "DIRECTIVE_DEFINITION"]
        if type_["possibleTypes"]:
            type_["possibleTypes"] = sorted(type_["possibleTypes"], key=lambda possible: possible["name"])
        parts[name] = type_
    for directive in schema["directives"]:
        if directive["name"] in BUILT_IN_DIRECTIVES:
            directive = without_descriptions(directive)
            directive["locations"] = [
                place for place in directive["locations"] if place != "DIRECTIVE_DEFINITION"]
        parts["@" + directive["name"]] = directive
    return parts


def introspection_query():
    return get_introspection_query(
        specified_by_url=True, directive_is_repeatable=True, schema_description=True, input_value_deprecation=True,
        input_object_one_of=True)


def differences(schema, ours):
    theirs = comparable(execute(schema, parse(introspection_query())).data["__schema"])
    ours = comparable(json.loads(ours)["__schema"])
    return [
        f"{name}: {text(ours.get(name))} instead of {text(theirs.get(name))}"
        for name in sorted(theirs.keys() | ours.keys())
        if ours.get(name) != theirs.get(name)
    ]


def main():
    sys.setrecursionlimit(20_000)
    limits = scalars.GRAPHQL_MIN_INT, scalars.GRAPHQL_MAX_INT
    schema = None
    for line in sys.stdin:
        question = json.loads(line)
        if "schema" in question:
            schema = build_schema(question["schema"])
            wide = -1 << 63, (1 << 63) - 1
            scalars.GRAPHQL_MIN_INT, scalars.GRAPHQL_MAX_INT = limits if question["strict"] else wide
        elif "query" in question:
            print(text({"query": introspection_query()}))
        elif "introspection" in question:
            print(text({"differences": differences(schema, question["introspection"])}))
        else:
            print(text(answer(schema, question)))


main()
