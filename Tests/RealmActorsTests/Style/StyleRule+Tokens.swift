import Foundation

extension StyleRule {
    /// Written in two parts, so that these lines do not find themselves.
    static let banned = ["try" + "!", "fatal" + "Error(", "Dispatch" + "Queue"]
    static let printing = "print" + "("
    static let unfinished = ["FIX" + "ME", "TO" + "DO"]
    static let unchecked = ["@unchecked" + " Sendable", "nonisolated" + "(unsafe)"]
    /// With what replaces them.
    static let replaced = [
        "withTask" + "CancellationHandler": "withCancellationHandler",
        "Continuous" + "Clock": "Instant",
    ]
    /// The file of the replacement that uses what it replaces.
    private static let replacement = "/CancellationHandler.swift"
    static let unsafe = [
        "Unsafe" + "Pointer", "Unsafe" + "Mutable", "Unsafe" + "Raw", "Unsafe" + "Buffer",
        "Unmanaged" + "<", "unsafe" + "BitCast", "unsafe" + "Downcast", "with" + "Unsafe",
        "unsafe" + "Uninitialized", "exclusivity" + "(unchecked)", "unowned" + "(unsafe)",
    ]

    static let bannedTokens = StyleRule("nothing banned is used") { file, index in
        let code = file.lines[index].code
        if let token = banned.first(where: { code.contains($0) }) { return "uses \(token)" }
        let prints = file.kind != .executable && calls(printing, in: code)
        return prints && file.kind == .library ? "prints" : nil
    }

    /// The library has its own form of these, since that of the standard library costs more: see
    /// the files of the replacements.
    static let replacedTokens = StyleRule("what the engine replaces is not used") { file, index in
        let isOfEngine = ["Sources/Storage/", "Sources/RealmActors/"].contains {
            file.path.hasPrefix($0)
        }
        guard isOfEngine, !file.path.hasSuffix(replacement) else { return nil }
        let code = file.lines[index].code
        return replaced.first { code.contains($0.key) }.map { "uses \($0.key), not \($0.value)" }
    }

    static let unfinishedBusiness = StyleRule("nothing is left unfinished") { file, index in
        let line = file.lines[index]
        return unfinished.first { line.code.contains($0) || line.comment.contains($0) }
    }

    /// A test that waits shares threads with all others, as many as the machine has processors; how
    /// long it takes says nothing of it. The tools have few tests, which wait for processes.
    static let timeLimits = StyleRule("what waits has no time limit") { file, index in
        let isOfTools = file.path.hasPrefix("Sources/Tools/")
        guard !isOfTools, file.lines[index].code.contains("." + "timeLimit(") else { return nil }
        let declaration = file.lines[index...].map(\.code)
        let end = declaration.firstIndex { $0.hasSuffix("{") } ?? 0
        let waits = declaration[...end].contains { $0.contains("@Suite") || $0.contains(" async") }
        return waits ? "limits the time of what waits" : nil
    }

    /// Under Thread Sanitizer, mutexes are of a type of the engine's, which the sanitizer sees: who
    /// uses one outside of the engine imports that as well, or does not compile there.
    static let visibleMutex = StyleRule("a mutex is one that Thread Sanitizer sees") { file in
        let isEngine = file.path.hasPrefix("Sources/Storage/")
        if isEngine || file.kind == .executable || file.path.hasSuffix("Mutex.swift") { return [] }
        let engine = "import " + "Storage"
        if file.lines.contains(where: { $0.code.hasSuffix(engine) }) { return [] }
        let uses = ["Mutex" + "(", "Mutex" + "<", ".with" + "Lock"]
        return file.lines.filter { uses.contains(where: $0.code.contains) }.prefix(1).map {
            StyleFinding(path: file.path, line: $0.number, what: "a mutex without \(engine)")
        }
    }

    /// What switches the compiler's checking off has its proof beside it.
    static let uncheckedReasons = StyleRule("unchecked code gives its reason") { file, index in
        let code = file.lines[index].code
        guard let token = unchecked.first(where: { code.contains($0) }) else { return nil }
        return hasComment(file, at: index) ? nil : "\(token) without a comment above"
    }

    /// Unsafe code has its proof beside it or above the declaration that it is part of. A file that
    /// is about unsafe memory as a whole states it once, in a comment that begins with `Safety:`.
    static let unsafeReasons = StyleRule("unsafe code gives its reason") { file, index in
        let code = withoutPlainUses(file.lines[index].code)
        guard let token = unsafe.first(where: { code.contains($0) }) else { return nil }
        let isExplained =
            hasComment(file, at: index) || isExplainedAbove(file, index)
            || file.lines.contains { $0.comment.hasPrefix("// Safety:") && $0.indentation == 0 }
        return isExplained
            ? nil : "\(token) without a comment that says why it is safe"
    }

    /// Without what only hands memory on: the type of a parameter, whose memory the caller keeps
    /// valid during the call, and the conversion of a pointer to one that cannot be written
    /// through. Neither makes a pointer to other memory nor reads through one.
    private static func withoutPlainUses(_ code: String) -> String {
        let lent = #"(?:Unsafe\w*Pointer|Unmanaged)(?:<\w+>)?\??(?![\w(.<])"#
        let parameter = #"(?:^ *|\(|, )(?!let |var )(?:\w+ )?\w+: (?:inout )?"# + lent
        let readOnly = #"UnsafeRaw(?:Buffer)?Pointer\((?!\w+:)"#
        return code.replacingOccurrences(of: parameter, with: "", options: .regularExpression)
            .replacingOccurrences(of: readOnly, with: "", options: .regularExpression)
    }

    /// True when a line calls a function of that name (and not one whose name ends like it).
    private static func calls(_ call: String, in code: String) -> Bool {
        var rest = code[...]
        while let range = rest.firstRange(of: call) {
            let before = code[..<range.lowerBound].last ?? " "
            if !before.isLetter, !before.isNumber, before != "_", before != "." { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// A comment on the line, or right above it; attributes may stand between. A comment that
    /// documents the declaration counts when it speaks of what makes it safe.
    private static func hasComment(_ file: SourceFile, at index: Int) -> Bool {
        if !file.lines[index].comment.isEmpty { return true }
        var above = index
        while above > 0 {
            above -= 1
            let line = file.lines[above]
            let code = line.code.drop { $0 == " " }
            if code.isEmpty, !line.comment.isEmpty {
                return !line.comment.hasPrefix("///") || explains(file, above: index)
            }
            if !code.hasPrefix("@") && !code.hasPrefix("#if") { return false }
        }
        return false
    }

    /// A comment above an enclosing declaration that speaks of what makes the code safe.
    private static func isExplainedAbove(_ file: SourceFile, _ index: Int) -> Bool {
        var indentation = file.lines[index].indentation
        for above in stride(from: index, through: 0, by: -1) {
            let line = file.lines[above]
            guard !line.code.allSatisfy({ $0 == " " }) else { continue }
            guard line.indentation < indentation || above == index else { continue }
            indentation = min(indentation, line.indentation)
            if explains(file, above: above) { return true }
        }
        return false
    }

    private static func explains(_ file: SourceFile, above index: Int) -> Bool {
        var above = index - 1
        while above >= 0 {
            let line = file.lines[above]
            let code = line.code.drop { $0 == " " }
            guard code.isEmpty || code.hasPrefix("@"), !line.text.isEmpty else { return false }
            let words = line.comment.lowercased()
            if safetyWords.contains(where: { words.contains($0) }) { return true }
            above -= 1
        }
        return false
    }

    private static let safetyWords = [
        "safe", "bounds", "lifetime", "alive", "valid", "owns", "owned", "unique", "lock",
        "initialised", "initialized", "immutable", "never changes", "outlive", "retain",
        "exclusive",
    ]
}
