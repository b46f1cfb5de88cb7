"""An API with conflict resolution: its schema, the execution of documents, and the knobs and rules for faults."""

import json
import re

from graphql import (GraphQLEnumType, GraphQLError, GraphQLList, GraphQLNonNull, GraphQLObjectType, get_named_type,
                     parse, validate)
from graphql.execution.values import get_argument_values, get_variable_values
from graphql.language import ast

from scalars import load_schema, plain
from tables import Failure, Table


class Invalid(Exception):
    """A document that the schema refuses, with the errors of the response."""

    def __init__(self, errors):
        super().__init__(str(errors))
        self.errors = errors


class Operation:
    """A valid document with the values of its variables."""

    def __init__(self, document, node, variables):
        self.kind, self.node, self.variables = node.operation.value, node, variables
        self.fragments = {each.name.value: each for each in document.definitions
                          if isinstance(each, ast.FragmentDefinitionNode)}

    def fields(self, selection_set):
        for selection in selection_set.selections:
            if isinstance(selection, ast.FieldNode):
                yield selection
            elif isinstance(selection, ast.InlineFragmentNode):
                yield from self.fields(selection.selection_set)
            else:
                yield from self.fields(self.fragments[selection.name.value].selection_set)


class Api:
    def __init__(self, sdl, key):
        self.schema, self.key = load_schema(sdl), key
        self.settings = {
            "strategy": "AUTOMERGE",        # or OPTIMISTIC_CONCURRENCY or LAMBDA
            "strategies": {},               # the same for single models, by name
            "setFields": [],                # fields like "Note.tags" that Auto Merge treats as sets
            "handler": {"action": "REJECT"},  # the answer of the handler for LAMBDA
            "deltaMilliseconds": 30 * 60_000,  # the age of changes that a delta query still finds
            "removesTombstones": False,     # deleted records leave the base table at once
            "startedAtSkew": 0,             # milliseconds that are added to `startedAt`
            "pageLimit": None,              # the largest number of records in a page
            "emptyPages": 0,                # how many empty pages come before each page with records
            "errorPrefix": "",              # "DynamoDB:" for APIs of an older version of Amplify
            "tokens": [],                   # the values of `Authorization` that are accepted next to the API key
            "deny": [],                     # patterns of root fields that the caller may not use
            "redact": [],                   # fields like "Note.body" that are null in and after mutations
            "unreadable": [],               # fields that are null in every answer, with an error
            "pushes": True,                 # whether subscribers are told of changes
            "holdsPushes": False,           # whether pushes wait; they leave when this is set to false
            "pushCopies": 1,                # how often each push is sent
            "reversesPushes": False,        # whether pushes that waited leave in the opposite order
            "maximumSubscriptions": 100,    # of one connection
            "acknowledgesSockets": True,    # whether a connection is acknowledged
            "acknowledgesStarts": True,     # whether a subscription is acknowledged
            "connectionTimeout": 300_000,   # `connectionTimeoutMs` of the acknowledgement
            "heartbeatMilliseconds": 30_000,
            "nullEvery": 0,                 # every n-th record of a page is null
            "isCompressed": False,          # whether answers are compressed
            "isChunked": False,             # whether answers come in chunks
            "closesConnections": False,     # whether each answer ends its connection
        }
        self.rules, self.log = [], []
        self.tables = {name: Table(name, self.schema, self.settings) for name, type_ in self.schema.type_map.items()
                       if isinstance(type_, GraphQLObjectType) and "_version" in type_.fields}
        self.sync_fields, self.list_fields, self.get_fields = {}, {}, {}
        self.mutations, self.subscriptions = {}, {}
        self.listeners = []
        self.find_fields()

    def find_fields(self):
        """Finds the meaning of the root fields by their types, since an owner of an API may rename them."""
        for field, definition in self.schema.query_type.fields.items():
            name = get_named_type(definition.type).name
            if re.fullmatch(r"Model.+Connection", name):
                model = get_named_type(self.schema.type_map[name].fields["items"].type).name
                (self.sync_fields if "lastSync" in definition.args else self.list_fields)[field] = model
            elif name in self.tables:
                self.get_fields[field] = name
        for field, definition in self.schema.mutation_type.fields.items():
            given = re.match(r"Create|Update|Delete", get_named_type(definition.args["input"].type).name)
            self.mutations[field] = (given[0].lower(), get_named_type(definition.type).name)
        for field, definition in self.schema.subscription_type.fields.items():
            for directive in definition.ast_node.directives:
                if directive.name.value == "aws_subscribe":
                    self.subscriptions[field] = [value.value for value in directive.arguments[0].value.values]

    def accepts(self, headers):
        return headers.get("x-api-key") == self.key or headers.get("authorization") in self.settings["tokens"]

    def denies(self, field):
        return any(re.fullmatch(pattern, field) for pattern in self.settings["deny"])

    def match(self, place, field, arguments=None):
        """The first rule for this place, which counts as used.

        A rule is an object. "at" is the place: "request" (HTTP), "field" (a root field), "socket" (the request for a
        WebSocket) or "start" (a subscription). "on" is a pattern of the root field, and "when" one of the arguments as
        JSON. The rule is used "times" times (always, without that) after it was skipped "skip" times. The other members
        say what happens; `emulator.py`, `realtime.py` and `execute` read them.
        """
        for rule in self.rules:
            if rule.get("at", "request") != place or not re.fullmatch(rule.get("on", ".*"), field):
                continue
            if "when" in rule and not re.search(rule["when"], json.dumps(arguments, default=str)):
                continue
            if rule.get("skip", 0) > 0:
                rule["skip"] -= 1
            elif rule.get("times", 1) > 0:
                if "times" in rule:
                    rule["times"] -= 1
                return rule
        return {}

    # -- documents ------------------------------------------------------------------------------------

    def prepare(self, body):
        """The operation of a request. Raises `Invalid`."""
        try:
            document = parse(body["query"])
        except GraphQLError as error:
            raise Invalid([{"message": "Invalid Syntax : " + error.message,
                            "errorType": "MalformedHttpRequestException"}]) from None
        errors = validate(self.schema, document)
        if errors:
            raise Invalid([{"path": None, "locations": locations(error.locations),
                            "message": f"Validation error of type {kind(error.message)}: {error.message}"}
                           for error in errors])
        node = next(each for each in document.definitions if isinstance(each, ast.OperationDefinitionNode))
        variables = get_variable_values(self.schema, node.variable_definitions or [], body.get("variables") or {})
        if isinstance(variables, list):
            raise Invalid([{"path": None, "locations": None, "message": error.message} for error in variables])
        return Operation(document, node, variables)

    def execute(self, body):
        try:
            operation = self.prepare(body)
        except Invalid as invalid:
            return {"data": None, "errors": invalid.errors}
        root = {"query": self.schema.query_type, "mutation": self.schema.mutation_type}[operation.kind]
        data, errors = {}, []
        for node in operation.fields(operation.node.selection_set):
            name = node.name.value
            alias = node.alias.value if node.alias else name
            if name == "__typename":
                data[alias] = root.name
                continue
            data[alias] = None
            type_ = root.fields[name].type
            try:
                value = self.resolve(root, name, get_argument_values(root.fields[name], node, operation.variables))
                data[alias] = Answer(self, operation, errors).complete(type_, value, node, [alias])
                if operation.kind == "mutation" and data[alias] is not None:
                    for listener in self.listeners:
                        listener(name, data[alias])
            except NullInside:
                pass
            except Failure as failure:
                shown = None
                if failure.item is not None:
                    try:
                        shown = Answer(self, operation, []).complete(get_named_type(type_), failure.item, node, [alias])
                    except NullInside:
                        pass
                errors.append({"path": [alias], "data": shown, "errorType": failure.error_type, "errorInfo": None,
                               "locations": locations([node.loc.start_token]), "message": failure.message})
        return {"data": data, "errors": errors} if errors else {"data": data}

    def resolve(self, root, name, arguments):
        """The value of a root field. A rule can make the field fail, with "commit" after it was carried out."""
        if self.denies(name):
            raise Failure(f"Not Authorized to access {name} on type {root.name}", "Unauthorized")
        rule = self.match("field", name, arguments)
        error = rule.get("fieldError")
        if error and not rule.get("commit"):
            raise Failure(error.get("message", "The emulator fails."), error.get("errorType"))
        arguments = {argument: plain(value) for argument, value in arguments.items()}
        if name in self.sync_fields:
            value = self.tables[self.sync_fields[name]].sync(name, arguments)
        elif name in self.mutations:
            operation, model = self.mutations[name]
            change = getattr(self.tables[model], operation)
            value = change(dict(arguments["input"]), arguments.get("condition"))
        elif name in self.get_fields:
            table = self.tables[self.get_fields[name]]
            value = table.base.get(table.key(arguments))
        else:
            value = self.tables[self.list_fields[name]].list(arguments)
        if error:
            raise Failure(error.get("message", "The emulator fails."), error.get("errorType"))
        return value


class NullInside(Exception):
    """A value that may not be null is null, so what contains it is null."""


class Answer:
    """The part of a response for one root field: the selected fields of a value, in the types of the schema."""

    def __init__(self, api, operation, errors, has_json_texts=False):
        self.settings, self.operation, self.errors = api.settings, operation, errors
        self.has_json_texts = has_json_texts

    def complete(self, type_, value, node, path):
        if isinstance(type_, GraphQLNonNull):
            result = self.complete(type_.of_type, value, node, path)
            if result is None:
                if not any(error.get("path") == path for error in self.errors):
                    place = "/".join(map(str, path))
                    self.errors.append({"path": path, "locations": None, "message": "Cannot return null for "
                                        f"non-nullable type: '{type_.of_type}' within parent '{path[0]}' ({place})"})
                raise NullInside
            return result
        if value is None:
            return None
        if isinstance(type_, GraphQLList):
            return self.complete_list(type_, value if isinstance(value, list) else [value], node, path)
        if isinstance(type_, GraphQLObjectType):
            return self.complete_object(type_, value, node, path)
        if isinstance(type_, GraphQLEnumType) and value not in type_.values:
            self.errors.append({"path": path, "locations": None, "message": "Can't serialize value "
                                f"({'/'.join(map(str, path))}) : Invalid input for Enum '{type_.name}'. "
                                f"No value found for name '{value}'"})
            return None
        if type_.name == "AWSJSON" and not self.has_json_texts:
            return json_text(value)
        if type_.name == "ID":
            return str(value)
        if type_.name == "Float" and isinstance(value, float) and value == int(value) and abs(value) < 1e15:
            return int(value)  # DynamoDB keeps numbers as decimal text, so 4.0 comes back as 4.
        return value

    def complete_list(self, type_, values, node, path):
        result = []
        for index, value in enumerate(values):
            try:
                result.append(self.complete(type_.of_type, value, node, path + [index]))
            except NullInside:
                if isinstance(type_.of_type, GraphQLNonNull):
                    return None
                result.append(None)
        every = self.settings["nullEvery"]
        if every and path[-1] == "items":
            result = [None if index % every == 0 else value for index, value in enumerate(result)]
        return result

    def complete_object(self, type_, value, node, path):
        result = {}
        for field in self.operation.fields(node.selection_set):
            name = field.name.value
            alias = field.alias.value if field.alias else name
            if name == "__typename":
                result[alias] = type_.name
                continue
            place, member = f"{type_.name}.{name}", type_.fields[name].type
            result[alias] = None
            if place in self.settings["unreadable"]:
                self.errors.append({"path": path + [alias], "data": None, "errorType": "Unauthorized",
                                    "errorInfo": None, "locations": locations([field.loc.start_token]),
                                    "message": f"Not Authorized to access {name} on type {type_.name}"})
            elif place not in self.settings["redact"] or self.operation.kind != "mutation":
                try:
                    result[alias] = self.complete(member, value.get(name), field, path + [alias])
                except NullInside:
                    if isinstance(member, GraphQLNonNull):
                        return None
        return result


def shown(type_, value):
    """A stored value as answers have it: values of AWSJSON are texts."""
    if isinstance(type_, GraphQLNonNull):
        return shown(type_.of_type, value)
    if value is None:
        return None
    if isinstance(type_, GraphQLList):
        return [shown(type_.of_type, each) for each in value]
    if isinstance(type_, GraphQLObjectType):
        return {name: shown(field.type, value[name]) for name, field in type_.fields.items() if name in value}
    if type_.name == "AWSJSON":
        return json_text(value)
    return value


def json_text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)


def locations(places):
    return [{"line": place.line, "column": place.column, "sourceName": None} for place in places or []] or None


def kind(message):
    kinds = (("Cannot query field", "FieldUndefined"), ("Unknown argument", "UnknownArgument"),
             ("Unknown type", "UnknownType"), ("must have a selection", "SubSelectionRequired"),
             ("must not have a selection", "SubSelectionNotAllowed"), ("is required", "MissingFieldArgument"),
             ("used in position", "VariableTypeMismatch"))
    return next((name for part, name in kinds if part in message), "WrongType")
