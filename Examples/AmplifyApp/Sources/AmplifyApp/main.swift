import TidelogAmplify

// Reads "add NAME" and "buy NAME" from standard input, line by line, and prints the list after each change.
let list = try ShoppingList()
let showing = Task.detached { try await list.show() }
while let line = readLine() {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first {
    case "add" where words.count == 2: try await list.add(words[1])
    case "buy" where words.count == 2:
        if try await !list.buy(words[1]) { print("No \(words[1]) on the list") }
    default: print("Type: add NAME, or: buy NAME")
    }
}
let unsent = try await list.finish()
showing.cancel()
print(unsent == 0 ? "Everything is sent" : "Not sent yet: \(unsent)")
