public import Tidelog

/// The schema that the plugin makes of `amplify_outputs.json`.
public let outputsSchema = Schema.app
