import Functions
import SwiftletServer

/// The server of this repository's functions.
@main struct Main: SwiftletApp {
    let functions = Functions.functions
    let demoData = Functions.demoData
    let examples = Functions.examples
}
