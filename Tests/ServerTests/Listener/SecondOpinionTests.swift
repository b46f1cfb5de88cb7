import FaultHarness
import Foundation
import Testing
import TidelogServer

/// Tests with clients of other projects. `scripts/shared/websocket-second-opinion` installs the client for WebSockets.
@Suite("Independent clients", .timeLimit(.minutes(5)))
struct SecondOpinionTests {
    @Test("curl sends a body and gets an answer", .enabled(if: CommandLineTools.hasCurl, "curl is missing"))
    func curl() async throws {
        try await serving { listener in
            try await onThread { [port = listener.port] in
                let url = "http://127.0.0.1:\(port)/graphql"
                let twice = try CommandLineTools.output("curl", ["-sS", "-w", "\n", "-d", "{}", url, url])
                #expect(twice == "POST /graphql 2\nPOST /graphql 2")
                // curl sends this body in chunks, after the server's `100 Continue`.
                let put = try CommandLineTools.output("curl", ["-sS", "-w", "\n", "-T", "-", url])
                #expect(put == "PUT /graphql 0")
            }
        }
    }

    @Test(
        "Python's websockets opens, speaks, pings and closes, with and without TLS",
        .enabled(if: CommandLineTools.python != nil, "the Python package websockets is missing"),
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"), arguments: [false, true])
    func websockets(isSecure: Bool) async throws {
        let python = try #require(CommandLineTools.python)
        let directory = try TemporaryDirectory()
        let files = isSecure ? try CommandLineTools.makeIdentity(in: directory) : nil
        let identity = files.map { TLSIdentity(certificateFile: $0.certificate, keyFile: $0.key) }
        try await serving(identity: identity) { listener in
            let url = "\(isSecure ? "wss" : "ws")://localhost:\(listener.port)/graphql"
            try await onThread {
                let script = """
                    import asyncio, ssl, sys
                    import websockets
                    async def main(url, certificate):
                        context = ssl.create_default_context(cafile=certificate) if certificate else None
                        async with websockets.connect(url, subprotocols=["graphql-ws", "header-abc"], ssl=context,
                                                      max_size=None) as socket:
                            assert socket.subprotocol == "graphql-ws"
                            for length in (0, 1, 125, 126, 65535, 65536, 262144):
                                await socket.send("ü" * (length // 2))
                                assert await socket.recv() == "ü" * (length // 2)
                            await socket.send(part for part in ["a", "b", "c"])
                            assert await socket.recv() == "abc"
                            await (await socket.ping())
                            await asyncio.gather(*(socket.send(str(n)) for n in range(500)))
                            assert [await socket.recv() for n in range(500)] == [str(n) for n in range(500)]
                        assert socket.close_code == 1000, socket.close_code
                        try:
                            async with websockets.connect(url, ssl=context):
                                raise AssertionError("accepted")
                        except websockets.exceptions.InvalidHandshake:
                            pass
                        print("done")
                    asyncio.run(main(sys.argv[1], sys.argv[2]))
                    """
                let output = try CommandLineTools.output(
                    python.path, ["-c", script, url, files?.certificate ?? ""])
                #expect(output == "done")
            }
        }
    }
}
