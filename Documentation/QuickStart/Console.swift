import Foundation

/// Prints a title with a line under it.
func heading(_ title: String) {
    print("\n\(title)\n\(String(repeating: "-", count: title.count))")
}

/// Says what went wrong, on standard error.
func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

extension Int {
    /// 336776 as "336,776".
    var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-\(text)" : text
    }
}

extension Double {
    /// 12.345 as "12.3".
    var tenths: String { String(format: "%.1f", self) }
}

extension Duration {
    /// Whole and fractional seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// "0.42 s" or "3.1 ms".
    var readable: String {
        seconds >= 0.1
            ? String(format: "%.2f s", seconds) : String(format: "%.1f ms", seconds * 1000)
    }
}

extension String {
    /// Filled up with spaces on the right, or cut.
    func left(_ width: Int) -> String {
        count > width
            ? prefix(width - 1) + "." : self + String(repeating: " ", count: width - count)
    }

    /// Filled up with spaces on the left.
    func right(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

/// A horizontal bar whose length shows `value` as a share of `largest`.
func bar(_ value: Double, of largest: Double, width: Int = 32) -> String {
    guard largest > 0, value > 0 else { return "" }
    return String(repeating: "#", count: max(1, Int((value / largest * Double(width)).rounded())))
}
