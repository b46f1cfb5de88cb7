/// The page at `/`, which tells a person with a browser what answers here. It has nothing of the schema or the records.
enum WelcomePage {
    static let response = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "text/html;charset=UTF-8",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        ], body: Array(html.utf8))

    private static let html = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>A Tidelog server</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
        code { font-family: ui-monospace, monospace }
        </style>
        <h1>A Tidelog server</h1>
        <p>This server keeps the records of an app, and syncs them with its devices. It runs.</p>
        <ul>
        <li><code>POST /graphql</code> answers queries and mutations. It needs an API key in the header <code>x-api-key</code>,
        or a token in <code>Authorization</code>.</li>
        <li>WebSockets at <code>/graphql/realtime</code> receive subscriptions.</li>
        <li><code>GET /schema.graphql</code> returns the schema to callers with a key or a token.</li>
        <li><code><a href="/health">GET /health</a></code> tells whether the server can store changes.</li>
        </ul>
        </html>

        """
}
