// SwiftletTesting
