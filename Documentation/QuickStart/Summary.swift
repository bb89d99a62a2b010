/// What was done, how fast, and whether everything was as it should be.
struct Summary {
    private var lines: [(verb: String, what: String, speed: String)] = []
    private var checks: [(what: String, isRight: Bool)] = []

    var failedChecks: Int { checks.count { !$0.isRight } }

    mutating func add(_ verb: String, _ what: String, _ speed: String) {
        lines.append((verb, what, speed))
    }

    mutating func check(_ what: String, _ isRight: Bool) {
        checks.append((what, isRight))
    }

    func show(bytesOnDisk: Int, keptAt path: String?) {
        for line in lines {
            print("  \(line.verb.left(10))\(line.what)\n            \(line.speed)")
        }
        let megabytes = (Double(bytesOnDisk) / 1_000_000).tenths
        let place = path.map { " in \($0)" } ?? ""
        print("  \("on disk".left(10))\(megabytes) MB\(place)")
        for check in checks {
            print("  \("checked".left(10))\(check.what): \(check.isRight ? "right" : "WRONG")")
        }
    }
}
