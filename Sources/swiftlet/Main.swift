import SwiftletBusiness
import SwiftletCheckIns
import SwiftletDeviceLogs
import SwiftletGallery
import SwiftletServer

/// The platform with the apps of this repository.
@main struct Main: SwiftletApp {
    let apps = [business, checkIns, deviceLogs, gallery]
}
