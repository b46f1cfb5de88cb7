import Foundation
import TidelogJSON

/// Valid inputs, from which the fuzzer makes other inputs.
enum Seeds {
    private static let documents = [
        (
            "query Q($f: ModelPostFilterInput, $t: String) { listPosts(filter: $f, limit: 3, nextToken: $t) { items { ...P } } } "
                + "fragment P on Post { id title rank day at flags place { city inside { city size } } kind }",
            #"{"f":{"rank":{"between":[1,2]},"title":{"beginsWith":"a"},"#
                + #""or":[{"not":{"kind":{"eq":"good"}}}]},"t":null}"#
        ),
        (
            "mutation M($i: CreatePostInput!, $c: ModelPostConditionInput) "
                + "{ a: createPost(input: $i, condition: $c) { id } }",
            #"{"i":{"title":"t","day":"2001-02-03","at":"2001-02-03T04:05:06.7Z","flags":[true],"#
                + #""place":{"city":"x","inside":{"city":"y","size":1.5e3}},"kind":"bad","#
                + #""_version":9007199254740993},"c":{"rank":{"attributeExists":true}}}"#
        ),
        (
            #"{ getSeat(hall: "h", row: 1, day: "2001-02-03") "#
                + "{ hall @include(if: true) row @skip(if: false) __typename } }",
            "{}"
        ),
        (
            #"{ postsByRank(rank: 1, title: {ge: "\uD83D\uDE00"}, sortDirection: DESC) { nextToken startedAt } }"#,
            "null"
        ),
        ("{ __schema { types { name fields(includeDeprecated: true) { name type { ofType { name } } } } } }", "{}"),
        (
            "subscription S($f: ModelSubscriptionPostFilterInput) "
                + "{ onUpdatePost(filter: $f) { id comments { items { text } } } }",
            #"{"f":{"rank":{"in":[1,2,3]},"and":[{"title":{"notContains":"x"}}]}}"#
        ),
        (#"subscription { onCreatePost(filter: {kind: {eq: "good"}}) { id title } }"#, "{}"),
    ]

    static let requests = documents.map { query, variables in
        #"{"query":\#(quoted(query)),"variables":\#(variables),"operationName":null,"extensions":{"a":[1,2.5e-3]}}"#
    }

    static let messages =
        requests.enumerated().map { number, request in
            #"{"id":"\#(number)","type":"start","payload":{"data":\#(quoted(request)),"extensions":{"authorization":"#
                + #"{"host":"h","x-api-key":"k"}}}}"#
        } + [#"{"type":"connection_init"}"#, #"{"id":"1","type":"stop"}"#, #"{"type":"unknown","id":7}"#]

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
