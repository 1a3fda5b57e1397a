import SwiftletCPango

/// Takes what cairo writes.
final class PDFSink {
    private(set) var bytes: [UInt8] = []

    /// The sink must outlive the surface.
    func makeSurface(width: Double, height: Double) -> OpaquePointer? {
        let surface = unsafe cairo_pdf_surface_create_for_stream(
            { sink, data, length in
                guard let sink = unsafe sink, let data = unsafe data else { return CAIRO_STATUS_WRITE_ERROR }
                let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(length))
                unsafe Unmanaged<PDFSink>.fromOpaque(sink).takeUnretainedValue().bytes.append(contentsOf: bytes)
                return CAIRO_STATUS_SUCCESS
            },
            unsafe Unmanaged.passUnretained(self).toOpaque(),
            width,
            height
        )
        return unsafe surface
    }
}
