@main
struct SwiftletServer {
    static func main() async {}
}
