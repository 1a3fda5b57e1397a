import BusinessClient
import BusinessClientMocks
import DeviceLogsClient
import DeviceLogsClientMocks
import Foundation
import GalleryClientMocks
import SwiftletClient

/// An app's own model, over the core.
struct Vehicle: Decodable, Sendable {
    enum Fuel: String, SafeDecodable { case petrol, battery, unknown }

    let fuel: Fuel
}

@main struct Main {
    static func main() async throws {
        let checkIn = CheckInFeature.preview
        print(try await checkIn.callForHelp(from: "somebody"))
        let logs = LogFeature(source: MockPoopLogDataSource(), deviceId: UUID())
        print(try await logs.add(.good).durationSeconds)
        print(LogFeature.explained(.offline))
        let gallery = MockGalleryServer(users: #"[{"id":"u","apple_id":"a"}]"#, images: #"[{"id":1,"image_url":"x"}]"#)
        print(try await GalleryFeature(gallery: gallery.gallery).photos(of: "a").count)
        let vehicles = Data(#"{"data":[{"fuel":"steam"}]}"#.utf8)
        let wrapped = try JSONDecoder.swiftlet.decode(WrappedArrayResponse<Vehicle>.self, from: vehicles)
        print(wrapped.data.map(\.fuel))
        do {
            _ = try JSONDecoder.swiftlet.decode(Vehicle.self, from: Data("{}".utf8))
        } catch {
            print(detailedDecodingError(error))
        }
    }
}
