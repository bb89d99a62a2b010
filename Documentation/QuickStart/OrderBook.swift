import RealmActors

/// Which host has taken each order, as the change stream of a host or a snapshot says.
struct OrderBook: Equatable, CustomStringConvertible {
    /// A stream that reports what has not happened.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var hosts: [Int: Int] = [:]

    init() {}

    init(_ orders: FrozenResults<HostOrder>) throws { try add(orders) }

    var count: Int { hosts.count }

    /// Takes an element of a stream. Orders are only created, so each is reported once.
    mutating func take(_ change: CollectionChange<FrozenResults<HostOrder>>) throws {
        switch change {
        case .initial(let orders):
            try add(orders)
        case .update(let orders, let deletions, let insertions, let modifications):
            guard deletions.isEmpty, modifications.isEmpty else {
                throw Failure(description: "Orders were reported as deleted or modified.")
            }
            for position in insertions {
                let order = orders[position]
                try add(order.id, host: order.host)
            }
        }
    }

    private mutating func add(_ orders: FrozenResults<HostOrder>) throws {
        for order in orders { try add(order.id, host: order.host) }
    }

    mutating func add(_ id: Int, host: Int) throws {
        guard hosts.updateValue(host, forKey: id) == nil else {
            throw Failure(description: "Order \(id) was reported twice.")
        }
    }

    /// The same for the same orders, however many elements of a stream they came in, which depends
    /// on when the host was notified. An FNV-1a hash of words.
    private var digest: UInt64 {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for (id, host) in hosts.sorted(by: { $0.key < $1.key }) {
            for word in [id, host] {
                digest = (digest ^ UInt64(word)) &* 0x100_0000_01b3
            }
        }
        return digest
    }

    var description: String { "\(count) orders, digest \(String(digest, radix: 16))" }
}
