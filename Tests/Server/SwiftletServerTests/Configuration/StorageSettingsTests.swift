import Foundation
import SwiftletFiles
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite struct StorageSettingsTests {
    private static let bucket = ["S3_BUCKET": "files", "S3_ACCESS_KEY": "AKIA", "S3_SECRET_KEY": "hidden"]

    private func read(_ settings: [String: String]) throws -> StorageSettings {
        var reader = SettingsReader(Environment(settings))
        let storage = StorageSettings(&reader, trust: .system)
        try reader.finish()
        return storage
    }

    @Test func `keeps files in a folder, unless there is a bucket`() throws {
        let usual = try read([:])
        #expect(usual.place.description == "the folder ./storage")
        #expect(usual.maximumFileBytes == 52_428_800)
        #expect(
            try read(["STORAGE_PATH": "/srv/files", "MAX_FILE_BYTES": "5"]).place.description == "the folder /srv/files"
        )
        #expect(try read(Self.bucket).place.description == "the bucket files at https://s3.us-east-1.amazonaws.com")
        let own = Self.bucket.merging(["S3_ENDPOINT": "http://minio:9000", "S3_REGION": "home"]) { $1 }
        #expect(try read(own).place.description == "the bucket files at http://minio:9000")
    }

    @Test(arguments: [
        (["S3_BUCKET": "Files!"], "S3_BUCKET"), (["S3_ENDPOINT": "ftp://minio"], "S3_ENDPOINT"),
        (["S3_ENDPOINT": "https://a:b@minio"], "S3_ENDPOINT"), (["S3_ENDPOINT": "https://minio/files"], "S3_ENDPOINT"),
        (["S3_REGION": "eu west"], "S3_REGION"), (["S3_ACCESS_KEY": ""], "S3_ACCESS_KEY"),
        (["S3_SECRET_KEY": ""], "S3_SECRET_KEY"), (["STORAGE_PATH": "/srv"], "STORAGE_PATH"),
        (["MAX_FILE_BYTES": "0"], "MAX_FILE_BYTES"), (["S3_BUCKET": "", "S3_ENDPOINT": "https://minio"], "S3_BUCKET"),
    ])
    func `names a bad setting, and repeats no secret`(settings: [String: String], name: String) throws {
        let all = Self.bucket.merging(settings) { $1 }
        let error = #expect(throws: ConfigurationError.self) { try read(all) }
        #expect(error?.faults.contains { $0.hasPrefix(name) } == true)
        #expect(error?.faults.contains { $0.contains("hidden") } == false)
    }

    @Test func `resumable uploads have a limit of their own`() throws {
        var reader = SettingsReader(Environment(["MAX_RESUMABLE_BYTES": "5", "STORAGE_SUPABASE_PATH": "/srv/stub"]))
        let settings = FilesSettings.read(&reader)
        try reader.finish()
        #expect(settings.maximumResumableBytes == 5)
        #expect(settings.maximumOpenBytes == 20)
        #expect(settings.supabasePath == "/srv/stub")
        for wrong in ["0", "52428800001", "5GB"] {
            var reader = SettingsReader(Environment(["MAX_RESUMABLE_BYTES": wrong]))
            _ = FilesSettings.read(&reader)
            #expect(throws: ConfigurationError.self) { try reader.finish() }
        }
    }

    @Test func `what is open may be no less than one upload`() throws {
        let variables = ["MAX_RESUMABLE_BYTES": "5", "MAX_OPEN_UPLOAD_BYTES": "4"]
        var reader = SettingsReader(Environment(variables))
        _ = FilesSettings.read(&reader)
        #expect(throws: ConfigurationError.self) { try reader.finish() }
    }

    @Test func `images have settings`() throws {
        let variables = [
            "IMAGES": "off", "IMAGE_SIZES": "100, 400", "IMAGE_MAX_PIXELS": "7", "IMAGE_CACHE_BYTES": "1000000",
        ]
        var reader = SettingsReader(Environment(variables))
        let images = FilesSettings.read(&reader).images
        try reader.finish()
        #expect(!images.isOn)
        #expect(images.sizes == [100, 400])
        #expect(images.maximumPixels == 7)
        #expect(images.cacheBytes == 1_000_000)
        for wrong in ["0", "a", "100,", "2501", ","] {
            var reader = SettingsReader(Environment(["IMAGE_SIZES": wrong]))
            _ = FilesSettings.read(&reader)
            #expect(throws: ConfigurationError.self, "\(wrong)") { try reader.finish() }
        }
    }

    @Test func `the doctor says whether images are rendered`() {
        var images = ImageSettings()
        images.searchPath = "/nowhere"
        #expect(StorageExamination.finding(on: images).grade == .note)
        images.isOn = false
        #expect(StorageExamination.finding(on: images).grade == .good)
    }

    @Test func `the doctor says where files are kept, and what is wrong with it`() async throws {
        let path = FileManager.default.temporaryDirectory.path
        let good = await StorageExamination(try read(["STORAGE_PATH": "\(path)/no-such-folder"])).finding()
        #expect(good == .good("storage", "the folder \(path)/no-such-folder"))
        #expect(!FileManager.default.fileExists(atPath: "\(path)/no-such-folder"))
        let bad = await StorageExamination(try read(["STORAGE_PATH": "/dev/null/nowhere"])).finding()
        #expect(bad.grade == .fault)
        #expect(bad.text.contains("STORAGE_PATH"))
        let away = Self.bucket.merging(["S3_ENDPOINT": "http://127.0.0.1:1"]) { $1 }
        let unreachable = await StorageExamination(try read(away)).finding()
        #expect(unreachable.grade == .fault)
        #expect(!unreachable.text.contains("hidden"))
    }
}
