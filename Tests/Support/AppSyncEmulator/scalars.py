"""The scalar types of AppSync, and a schema that has them."""

import json
import re

from graphql import GraphQLError, build_ast_schema, parse

DECLARATIONS = """
scalar AWSDate scalar AWSTime scalar AWSDateTime scalar AWSTimestamp scalar AWSEmail scalar AWSJSON
scalar AWSURL scalar AWSPhone scalar AWSIPAddress scalar BigInt scalar Double
directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION
directive @aws_api_key on OBJECT | FIELD_DEFINITION
directive @aws_iam on OBJECT | FIELD_DEFINITION
directive @aws_oidc on OBJECT | FIELD_DEFINITION
directive @aws_lambda on OBJECT | FIELD_DEFINITION
directive @aws_auth(cognito_groups: [String!]!) on FIELD_DEFINITION
directive @aws_cognito_user_pools(cognito_groups: [String!]) on OBJECT | FIELD_DEFINITION
directive @aws_publish(subscriptions: [String!]) on FIELD_DEFINITION
"""

OFFSET = r"(Z|[+-]\d\d:\d\d(:\d\d)?)"
CLOCK = r"\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
PATTERNS = {
    "AWSDate": rf"\d{{4}}-\d\d-\d\d{OFFSET}?",
    "AWSTime": rf"{CLOCK}{OFFSET}?",
    "AWSDateTime": rf"\d{{4}}-\d\d-\d\dT{CLOCK}{OFFSET}",
    "AWSEmail": r"[^@\s]+@[^@\s]+",
    "AWSURL": r"[a-zA-Z][a-zA-Z0-9+.-]*:.+",
    "AWSPhone": r"\+?[\d\s()-]{5,}",
    "AWSIPAddress": r"[0-9a-fA-F.:]+(/\d+)?",
}


class ParsedJSON:
    """An argument of the type AWSJSON, which AppSync parses before it stores it."""

    def __init__(self, value):
        self.value = value


def load_schema(sdl):
    """The schema of an API that Amplify deploys. Invalid values of AppSync's scalars are refused."""
    schema = build_ast_schema(parse(DECLARATIONS + sdl), assume_valid=True, assume_valid_sdl=True)
    for name, pattern in PATTERNS.items():
        schema.type_map[name].parse_value = text_parser(name, pattern)
    schema.type_map["AWSJSON"].parse_value = parse_json
    schema.type_map["AWSTimestamp"].parse_value = parse_timestamp
    return schema


def text_parser(name, pattern):
    def parse_value(value):
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise GraphQLError(f"Variable has an invalid value of type {name}: {value!r}")
        return value

    return parse_value


def parse_json(value):
    if not isinstance(value, str):
        raise GraphQLError("AWSJSON must be a string")
    try:
        return ParsedJSON(json.loads(value))
    except ValueError:
        raise GraphQLError(f"Unable to parse {value!r} as valid JSON.") from None


def parse_timestamp(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or int(value) != value:
        raise GraphQLError(f"Variable has an invalid value of type AWSTimestamp: {value!r}")
    return int(value)


def plain(value):
    """The value of an argument as it is stored."""
    if isinstance(value, ParsedJSON):
        return value.value
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return value
