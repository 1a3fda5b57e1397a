public import Swiftlet

/// Images of people, served as tables below `/rest/v1`.
public let gallery = App("gallery", demoData: [demoGallery])
