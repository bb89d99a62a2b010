import Foundation

/// What a child of this executable does.
enum PeerChildJob {
    static func run(_ order: ChildProcess.Order) async throws {
        guard let peer = allPeers.first(where: { $0.name == order.engine }) else {
            throw PeerFailure(description: "there is no database \(order.engine)")
        }
        switch order.job {
        case .open: try open(peer, order.path, order.count)
        case .write: try write(peer, order.path)
        case .scan: throw PeerFailure(description: "\(peer.name) has no memory budget")
        case .follow: throw PeerFailure(description: "\(peer.name) does not notify of commits")
        case .serve: throw PeerFailure(description: "\(peer.name) has no hosts")
        }
    }

    private static func open(_ type: any Peer.Type, _ path: String, _ count: Int) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let peer = try type.init(path: path, durability: .synced)
        let name = try peer.name(of: count / 2) ?? "nobody"
        print((clock.now - start).inSeconds, name)
        try peer.close()
    }

    private static func write(_ type: any Peer.Type, _ path: String) throws {
        let peer = try type.init(path: path, durability: .synced)
        ChildProcess.announce()
        for number in 0..<Int.max { try peer.insertString(number) }
    }
}
