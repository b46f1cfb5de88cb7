"""The tables of one model, and the rules by which AppSync changes and reads them."""

import base64
import copy
import hashlib
import json
import time
import uuid

from graphql import get_named_type

METADATA = ("_version", "_deleted", "_lastChangedAt")


class Failure(Exception):
    """An error of one root field, as AppSync reports it."""

    def __init__(self, message, error_type, item=None):
        super().__init__(message)
        self.message, self.error_type, self.item = message, error_type, item


class Table:
    """The base table with the newest version of each record, and the delta table with every change."""

    def __init__(self, name, schema, settings):
        self.name, self.settings = name, settings
        title = name[0].upper() + name[1:]
        create = schema.type_map.get(f"Create{title}Input")
        delete = schema.type_map.get(f"Delete{title}Input")
        self.fields = {field: definition.type for field, definition in schema.type_map[name].fields.items()}
        self.keys = [key for key in delete.fields if key != "_version"] if delete else ["id"]
        # Amplify's resolvers set the timestamps: implicit ones, and declared ones with the usual names.
        self.stamps = []
        for field, type_ in self.fields.items():
            kind = get_named_type(type_).name
            implicit = create is not None and field not in create.fields and kind == "AWSDateTime"
            if implicit or (field in ("createdAt", "updatedAt") and kind in ("AWSDateTime", "String")):
                self.stamps.append(field)
        self.base = {}
        self.delta = []

    def key(self, item):
        return tuple(str(item.get(key)) for key in self.keys)

    def now(self):
        return int(time.time() * 1000)

    def timestamp(self):
        now = self.now()
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now / 1000)) + ".%03dZ" % (now % 1000)

    def write(self, item):
        item["_lastChangedAt"] = self.now()
        self.base[self.key(item)] = item
        self.delta.append((item["_lastChangedAt"], copy.deepcopy(item)))
        return item

    # -- mutations ------------------------------------------------------------------------------------

    def create(self, given, condition):
        item = {"id": str(uuid.uuid4()), **{stamp: self.timestamp() for stamp in self.stamps}, **given}
        item = {field: value for field, value in item.items() if field in self.fields}
        existing = self.base.get(self.key(item))
        if existing is not None or not fulfils(condition, {}):
            raise self.condition_failed(existing)
        return self.write({**item, "_version": 1, "_deleted": None})

    def update(self, given, condition):
        version = given.pop("_version", None) or 0
        existing = self.existing(given)
        change = {field: value for field, value in given.items() if field not in (*self.keys, *METADATA)}
        for stamp in self.stamps:
            if stamp.lower().startswith("updated"):
                change.setdefault(stamp, self.timestamp())
        if version != existing["_version"]:
            strategy = self.strategy()
            if strategy == "OPTIMISTIC_CONCURRENCY":
                raise self.conflict(existing)
            if strategy == "LAMBDA":
                return self.handled(existing)
            merged = {field: self.merged(existing.get(field), value, field) for field, value in change.items()}
            change = merged
        if not fulfils(condition, existing):
            raise self.condition_failed(existing)
        item = {**existing, **change, "_version": existing["_version"] + 1}
        return self.write({field: value for field, value in item.items() if value is not None or field in METADATA})

    def delete(self, given, condition):
        version = given.pop("_version", None) or 0
        existing = self.existing(given)
        if version != existing["_version"]:
            # Auto Merge refuses the deletion of a record that changed.
            if self.strategy() != "LAMBDA":
                raise self.conflict(existing)
            return self.handled(existing)
        if not fulfils(condition, existing):
            raise self.condition_failed(existing)
        return self.remove(existing)

    def remove(self, existing):
        item = self.write({**existing, "_deleted": True, "_version": existing["_version"] + 1})
        if self.settings["removesTombstones"]:
            del self.base[self.key(item)]
        return item

    def existing(self, given):
        existing = self.base.get(self.key(given))
        if existing is None:
            raise self.condition_failed(None)
        return existing

    def strategy(self):
        return self.settings["strategies"].get(self.name, self.settings["strategy"])

    def handled(self, existing):
        """What the conflict handler decides, which is a Lambda function of the API's owner."""
        answer = self.settings["handler"]
        if answer["action"] == "RESOLVE":
            return self.write({**existing, **answer["item"], "_version": existing["_version"] + 1})
        if answer["action"] == "REMOVE":
            return self.remove(existing)
        raise self.conflict(existing)

    def merged(self, old, new, path):
        """What Auto Merge makes of a stored value and a value of an older version."""
        if old is None:
            return new
        if new is None:
            return old
        if isinstance(old, list) and isinstance(new, list):
            if f"{self.name}.{path}" in self.settings["setFields"]:
                return old + [value for value in new if value not in old]
            return old + new
        if isinstance(old, dict) and isinstance(new, dict):
            names = list(old) + [name for name in new if name not in old]
            return {name: self.merged(old.get(name), new.get(name), f"{path}.{name}") for name in names}
        return old

    def condition_failed(self, item):
        message = "The conditional request failed (Service: DynamoDb, Status Code: 400, Request ID: EMULATED)"
        return Failure(message, self.settings["errorPrefix"] + "ConditionalCheckFailedException", item)

    def conflict(self, item):
        return Failure("Conflict resolver rejects mutation.", "ConflictUnhandled", item)

    # -- queries --------------------------------------------------------------------------------------

    def sync(self, field, arguments):
        """One page of a base query or a delta query. The token holds the place and the start of the query."""
        settings, now = self.settings, self.now()
        limit = min(arguments.get("limit") or 100, 1000, settings["pageLimit"] or 1000)
        token, last = arguments.get("nextToken"), arguments.get("lastSync")
        if token:
            place = self.place(token, field, last)
        else:
            is_delta = last is not None and last >= now - settings["deltaMilliseconds"]
            start = now + settings["startedAtSkew"]
            place = {"field": field, "last": last, "start": start, "isDelta": is_delta, "empty": 0, "after": None}
        if place["isDelta"]:
            rows = [("%015d %s %09d" % (at, "|".join(self.key(item)), item["_version"]), item)
                    for at, item in self.delta if at >= place["last"]]
        else:
            # DynamoDB scans a table in the order of a hash of the partition key.
            rows = [(hashlib.md5("|".join(key).encode()).hexdigest() + "|".join(key), item)
                    for key, item in self.base.items()]
        rows = sorted((row for row in rows if place["after"] is None or row[0] > place["after"]), key=lambda row: row[0])
        page, has_more = rows[:limit], len(rows) > limit
        if place["empty"] < settings["emptyPages"]:
            place["empty"] += 1
            page, has_more = [], True
        else:
            place["empty"] = 0
        if page:
            place["after"] = page[-1][0]
        # A filter applies to the records that were read, so a page can have fewer records than its limit, or none.
        items = [copy.deepcopy(item) for _, item in page if fulfils(arguments.get("filter"), item)]
        next_token = base64.b64encode(json.dumps(place).encode()).decode() if has_more else None
        return {"items": items, "nextToken": next_token, "startedAt": place["start"]}

    def place(self, token, field, last):
        try:
            place = json.loads(base64.b64decode(token))
        except ValueError:
            place = {}
        if (place.get("field"), place.get("last")) != (field, last):
            raise Failure("Invalid pagination token given.", "BadRequestException")
        return place

    def list(self, arguments):
        items = [item for item in self.base.values() if fulfils(arguments.get("filter"), item)]
        return {"items": items[: arguments.get("limit") or 100], "nextToken": None, "startedAt": self.now()}


def fulfils(condition, item):
    """Whether an item fulfils a condition or a filter, by the rules of DynamoDB's expressions."""
    for name, part in (condition or {}).items():
        if part is None:
            continue
        parts = part if isinstance(part, list) else [part]
        if name == "and":
            holds = all(fulfils(each, item) for each in parts)
        elif name == "or":
            holds = any(fulfils(each, item) for each in parts)
        elif name == "not":
            holds = not fulfils(part, item)
        else:
            holds = all(compares(item.get(name), operator, operand) for operator, operand in part.items())
        if not holds:
            return False
    return True


def compares(value, operator, operand):
    if operator == "attributeExists":
        return (value is not None) == operand
    if operator == "ne":
        # A missing attribute differs from every value.
        return value != operand
    if operator == "eq":
        return value is not None and value == operand
    if value is None:
        return operator == "notContains"
    if operator == "size":
        size = len(value.encode()) if isinstance(value, str) else len(value)
        return all(compares(size, each, number) for each, number in operand.items())
    if operator in ("contains", "notContains"):
        found = isinstance(value, (str, list)) and operand in value
        return found == (operator == "contains")
    operands = operand if isinstance(operand, list) else [operand]
    if isinstance(value, bool) or not all(is_comparable(value, each) for each in operands):
        return False
    if isinstance(value, str):
        value, operands = value.encode(), [each.encode() for each in operands]
    first = operands[0] if operands else None
    return {
        "le": lambda: value <= first,
        "lt": lambda: value < first,
        "ge": lambda: value >= first,
        "gt": lambda: value > first,
        "between": lambda: operands[0] <= value <= operands[1],
        "beginsWith": lambda: value.startswith(first),
        "in": lambda: value in operands,
        "notIn": lambda: value not in operands,
    }[operator]()


def is_comparable(one, other):
    if isinstance(one, (int, float)):
        return isinstance(other, (int, float)) and not isinstance(other, bool)
    return type(one) is type(other)
