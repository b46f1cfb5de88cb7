"""Subscriptions over WebSockets, by AppSync's real-time protocol."""

import asyncio
import base64
import json
import os

from aiohttp import WSMsgType, web
from graphql.execution.values import get_argument_values

from api import Answer, Invalid, NullInside
from tables import fulfils


class Subscription:
    def __init__(self, field, node, arguments, operation):
        self.field, self.node, self.arguments, self.operation = field, node, arguments, operation

    def wants(self, selected):
        """Whether the filter and the other arguments fit to what the mutation selected."""
        others = {name: value for name, value in self.arguments.items() if name != "filter" and value is not None}
        return (all(selected.get(name) == value for name, value in others.items())
                and fulfils(self.arguments.get("filter"), selected))


class Socket:
    """One connection of a client."""

    def __init__(self, api, socket, headers):
        self.api, self.socket, self.headers = api, socket, headers
        self.subscriptions = {}
        self.waiting = []
        self.is_silent = False

    async def send(self, message):
        if not self.is_silent and not self.socket.closed:
            try:
                await self.socket.send_json(message)
            except ConnectionError:
                pass

    async def receive(self, message):
        kind = message["type"]
        payload = message.get("payload") or {}
        self.api.log.append({"kind": "socket", "type": kind, "data": payload.get("data")})
        if kind == "connection_init":
            await self.begin()
        elif kind == "start":
            await self.start(message["id"], payload)
        elif kind == "stop":
            self.subscriptions.pop(message["id"], None)
            await self.send({"id": message["id"], "type": "complete"})

    async def begin(self):
        if not self.api.accepts(self.headers):
            error = {"errorType": "UnauthorizedException", "message": "You are not authorized to make this call.",
                     "errorCode": 401}
            await self.send({"type": "connection_error", "payload": {"errors": [error]}})
            await self.socket.close()
        elif self.api.settings["acknowledgesSockets"]:
            timeout = self.api.settings["connectionTimeout"]
            await self.send({"type": "connection_ack", "payload": {"connectionTimeoutMs": timeout}})
            await self.send({"type": "ka"})

    async def start(self, identifier, payload):
        api = self.api

        async def refuse(error_type, message):
            error = {"errorType": error_type, "message": message}
            await self.send({"id": identifier, "type": "error", "payload": {"errors": [error]}})

        try:
            operation = api.prepare(json.loads(payload["data"]))
        except Invalid as invalid:
            return await refuse("BadRequestException", json.dumps(invalid.errors)[:300])
        node = next(operation.fields(operation.node.selection_set))
        field = node.name.value
        headers = payload.get("extensions", {}).get("authorization", {})
        if not api.accepts({name.lower(): value for name, value in headers.items()}):
            return await refuse("UnauthorizedException", "Permission denied")
        if api.denies(field):
            return await refuse("Unauthorized", f"Not Authorized to access {field} on type Subscription")
        rule = api.match("start", field)
        if "error" in rule:
            return await refuse(*rule["error"])
        if len(self.subscriptions) >= api.settings["maximumSubscriptions"]:
            limit = api.settings["maximumSubscriptions"]
            return await refuse("MaxSubscriptionsReachedError", f"Max number of {limit} subscriptions reached")
        if not api.settings["acknowledgesStarts"]:
            return
        definition = api.schema.subscription_type.fields[field]
        arguments = get_argument_values(definition, node, operation.variables)
        self.subscriptions[identifier] = Subscription(field, node, arguments, operation)
        await self.send({"id": identifier, "type": "start_ack", "payload": {}})


class RealTime:
    """All connections of clients."""

    def __init__(self, api):
        self.api = api
        self.sockets = []
        self.wake = asyncio.Event()
        api.listeners.append(self.publish)

    def publish(self, mutation, selected):
        """Queues pushes for the subscribers. They get those fields that the mutation selected."""
        if not self.api.settings["pushes"]:
            return
        for socket in self.sockets:
            for identifier, subscription in socket.subscriptions.items():
                if mutation in self.api.subscriptions[subscription.field] and subscription.wants(selected):
                    message = {"id": identifier, "type": "data", "payload": self.payload(subscription, selected)}
                    socket.waiting += [message] * self.api.settings["pushCopies"]
        self.wake.set()

    def payload(self, subscription, selected):
        type_ = self.api.schema.subscription_type.fields[subscription.field].type
        errors = []
        try:
            # The subscriber's document decides about the fields. Values of AWSJSON are texts since the mutation.
            answer = Answer(self.api, subscription.operation, errors, has_json_texts=True)
            record = answer.complete(type_, selected, subscription.node, [subscription.field])
        except NullInside:
            record = None
        data = {"data": {subscription.field: record}}
        return {**data, "errors": errors} if errors else data

    def push(self, field, payload):
        """Queues a payload as it is."""
        for socket in self.sockets:
            socket.waiting += [{"id": identifier, "type": "data", "payload": payload}
                               for identifier, subscription in socket.subscriptions.items()
                               if subscription.field == field]
        self.wake.set()

    async def send_pushes(self):
        while True:
            await self.wake.wait()
            self.wake.clear()
            if self.api.settings["holdsPushes"]:
                continue
            for socket in list(self.sockets):
                waiting, socket.waiting = socket.waiting, []
                if self.api.settings["reversesPushes"]:
                    waiting.reverse()
                for message in waiting:
                    await socket.send(message)

    async def send_heartbeats(self):
        """Sends heartbeats until the process that started this one has ended."""
        parent = os.getppid()
        while os.getppid() == parent:
            await asyncio.sleep(self.api.settings["heartbeatMilliseconds"] / 1000)
            for socket in list(self.sockets):
                await socket.send({"type": "ka"})

    def silence_sockets(self):
        """Makes the open connections stay open without a further word."""
        for socket in self.sockets:
            socket.is_silent = True

    async def close_sockets(self):
        for socket in list(self.sockets):
            await socket.socket.close()

    async def serve(self, request):
        self.api.log.append({"kind": "upgrade"})
        rule = self.api.match("socket", "realtime")
        if "status" in rule:
            return web.Response(status=rule["status"], text=rule.get("body", ""))
        web_socket = web.WebSocketResponse(protocols=("graphql-ws",))
        await web_socket.prepare(request)
        socket = Socket(self.api, web_socket, credentials(request))
        self.sockets.append(socket)
        try:
            async for message in web_socket:
                if message.type == WSMsgType.TEXT:
                    await socket.receive(json.loads(message.data))
        finally:
            self.sockets.remove(socket)
        return web_socket


def credentials(request):
    """The headers that a client gives in the query or as a subprotocol, because browsers cannot set headers here."""
    given = {}
    if "header" in request.query:
        given = json.loads(base64.b64decode(request.query["header"]))
    for protocol in request.headers.get("Sec-WebSocket-Protocol", "").split(","):
        if protocol.strip().startswith("header-"):
            text = protocol.strip()[len("header-"):]
            given = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return {name.lower(): value for name, value in (given or request.headers).items()}
