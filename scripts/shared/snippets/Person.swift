extension Surroundings {
    /// The person who uses the app.
    var user: User { User(username: "ann", postcode: "SW1A 1AA") }
}
