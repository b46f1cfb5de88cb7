"""An emulator of AWS AppSync. The first line on standard output is the port.

    python emulator.py --schema schemas/note.deployed.graphql
"""

import argparse
import asyncio
import gzip
import json
import sys
import uuid
from pathlib import Path

from aiohttp import web
from graphql import GraphQLError, parse

from api import Api, shown
from realtime import RealTime

UNAUTHORIZED = {"errorType": "UnauthorizedException", "message": "You are not authorized to make this call."}


def root_fields(query):
    """The names of the root fields of the first operation, in order."""
    try:
        return [field.name.value for field in parse(query).definitions[0].selection_set.selections]
    except (GraphQLError, AttributeError):
        return [""]


class Emulator:
    def __init__(self, api):
        self.api, self.realtime = api, RealTime(api)

    def application(self):
        application = web.Application(client_max_size=64 << 20)
        application.router.add_post("/graphql", self.graphql)
        application.router.add_get("/graphql/realtime", self.realtime.serve)
        application.router.add_post("/control", self.control)
        application.router.add_get("/state", self.state)
        application.router.add_get("/log", lambda request: web.json_response(self.api.log))
        return application

    async def graphql(self, request):
        """Answers a request by the rules for its root fields.

        The actions are "drop" ("before" or "after" the request was carried out), "status" with "body" and "headers",
        "json", and "truncate", which ends the answer in its middle. With "commit", the request is carried out first.
        """
        api, body = self.api, json.loads(await request.read())
        fields = root_fields(body["query"])
        entry = {"kind": "request", "fields": fields, "query": body["query"], "variables": body.get("variables"),
                 "status": 200}
        api.log.append(entry)
        if not api.accepts({name.lower(): value for name, value in request.headers.items()}):
            entry["status"] = 401
            return web.json_response({"errors": [UNAUTHORIZED]}, status=401)
        rules = (api.match("request", field, body.get("variables")) for field in fields)
        rule = next((rule for rule in rules if rule), {})
        if rule.get("drop") == "before":
            return self.drop(request, entry)
        answer = None
        if not ("status" in rule or "json" in rule) or rule.get("commit"):
            answer = api.execute(body)
            entry["errors"] = answer.get("errors")
        if rule.get("drop") == "after":
            return self.drop(request, entry)
        if "status" in rule:
            entry["status"] = rule["status"]
            headers = {"Content-Type": "text/html", **rule.get("headers", {})}
            return web.Response(status=rule["status"], text=rule.get("body", ""), headers=headers)
        return await self.send(request, rule.get("json", answer), rule)

    def drop(self, request, entry):
        """Ends the connection without a byte of an answer."""
        entry["status"] = "dropped"
        request.transport.abort()
        return web.Response()

    async def send(self, request, answer, rule):
        text = json.dumps(answer, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json;charset=UTF-8", "x-amzn-requestid": str(uuid.uuid4())}
        settings = self.api.settings
        if settings["isCompressed"]:
            text = gzip.compress(text)
            headers["Content-Encoding"] = "gzip"
        if rule.get("truncate"):
            response = web.StreamResponse(headers={**headers, "Content-Length": str(len(text))})
            await response.prepare(request)
            await response.write(text[: len(text) // 2])
            request.transport.abort()
            return response
        if settings["isChunked"]:
            response = web.StreamResponse(headers=headers)
            response.enable_chunked_encoding()
            await response.prepare(request)
            for start in range(0, len(text), 97):
                await response.write(text[start:start + 97])
            await response.write_eof()
            return response
        response = web.Response(body=text, headers=headers)
        if settings["closesConnections"]:
            response.force_close()
        return response

    async def control(self, request):
        body = await request.json()
        unknown = body.get("set", {}).keys() - self.api.settings.keys()
        if unknown:
            return web.Response(status=400, text=f"There are no such settings: {', '.join(unknown)}")
        self.api.settings.update(body.get("set", {}))
        self.api.rules = body.get("rules", self.api.rules)
        if body.get("closeSockets"):
            await self.realtime.close_sockets()
        if body.get("silenceSockets"):
            self.realtime.silence_sockets()
        if "push" in body:
            self.realtime.push(body["push"]["field"], body["push"]["payload"])
        self.realtime.wake.set()
        return web.json_response({})

    async def state(self, request):
        types = self.api.schema.type_map
        return web.json_response({name: [shown(types[name], item) for item in table.base.values()]
                                  for name, table in self.api.tables.items()})


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--schema", required=True, help="the API as Amplify deploys it")
    parser.add_argument("--key", default="da2-emulator", help="the API key")
    parser.add_argument("--port", type=int, default=0, help="the port; 0 for a free one")
    arguments = parser.parse_args()
    emulator = Emulator(Api(Path(arguments.schema).read_text(), arguments.key))
    runner = web.AppRunner(emulator.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", arguments.port)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    pushes = asyncio.create_task(emulator.realtime.send_pushes())
    await emulator.realtime.send_heartbeats()
    pushes.cancel()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
