import Foundation
import StorageHarness
import Testing

@testable import Storage

/// One damaged file, derived from an undamaged one.
struct DamagedRealmFile: Decodable, CustomTestStringConvertible, Sendable {
    struct Patch: Decodable, Sendable {
        let offset: Int
        let bytes: String?
        let copyFrom: Int?
        let length: Int?
    }

    let name: String
    let base: String
    let expect: String
    let patches: [Patch]
    let truncateTo: Int?

    var testDescription: String { name }

    func apply(to base: [UInt8]) -> [UInt8] {
        var bytes = base
        for patch in patches {
            var new = patch.bytes.map(Self.decode) ?? []
            if let start = patch.copyFrom, let length = patch.length {
                new = Array(base[start..<start + length])
            }
            let end = min(patch.offset + new.count, bytes.count)
            bytes.replaceSubrange(patch.offset..<end, with: new)
        }
        return truncateTo.map { Array(bytes.prefix($0)) } ?? bytes
    }

    private static func decode(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            digits[$0] << 4 | digits[$0 + 1]
        }
    }
}

/// Damaged files are refused, or read as far as possible.
@Suite struct RealmFileDamageTests {
    /// The outcome of reading all of a file.
    private enum Outcome: Equatable {
        case refused
        case contents([UInt8])
    }

    private func outcome(_ bytes: [UInt8], _ base: String, salvage: Bool = false) -> Outcome {
        let key = RealmFileFolder.isEncrypted(base) ? RealmFileFolder.key : nil
        do {
            let file = try RealmFileReading.open(bytes, key: key, salvage: salvage)
            return .contents(try contents(of: file))
        } catch {
            #expect(error is RealmFileError, "\(error)")
            return .refused
        }
    }

    private func contents(of file: RealmFile) throws -> [UInt8] {
        var all = CanonicalBytes(file)
        for object in file.classes {
            for property in object.properties {
                let text = "\(object.name) \(property.name) \(property.kind)"
                all.append(.single(.string(text)))
            }
            var cursor = file.objects(of: object)
            while let batch = try cursor.next() {
                for (row, key) in batch.keys.enumerated() {
                    all.integer(key)
                    for column in batch.columns.indices {
                        all.append(try WholeValue(try batch.value(of: column, at: row)))
                    }
                }
            }
        }
        return all.bytes
    }

    @Test func damagedFilesAreRefusedOrRead() throws {
        let folder = RealmFileFolder.current
        let variants = try folder.decode("damaged.json", as: [DamagedRealmFile].self)
        #expect(variants.count >= 400)
        var bases: [String: (bytes: [UInt8], contents: Outcome)] = [:]
        for variant in variants {
            if RealmFileFolder.isEncrypted(variant.base), !RealmFileCipher.isAvailable { continue }
            if bases[variant.base] == nil {
                guard let bytes = try? folder.bytes(variant.base) else { continue }
                bases[variant.base] = (bytes, outcome(bytes, variant.base))
            }
            let base = try #require(bases[variant.base])
            #expect(base.contents != .refused)
            let bytes = variant.apply(to: base.bytes)
            guard !variant.expect.contains("survive") else {
                survive(bytes, variant.base, "\(variant.name)")
                continue
            }
            let found = outcome(bytes, variant.base)
            let isRefused = found == .refused
            let isSame = found == base.contents
            let isExpected =
                switch variant.expect {
                case "refuse": isRefused
                case "same": isSame
                case "refuse-or-same": isRefused || isSame
                case "empty-or-refuse": isRefused || found == .contents([])
                default: false
                }
            #expect(isExpected, "\(variant.name) is to \(variant.expect)")
            // What can be read without a salvage is read equally with it.
            let isSalvaged = isRefused || outcome(bytes, variant.base, salvage: true) == found
            #expect(isSalvaged, "\(variant.name)")
        }
    }

    /// Reads a file in both ways: a salvage reads at least as much. Returns whether the file was
    /// refused.
    @discardableResult
    private func survive(_ bytes: [UInt8], _ base: String, _ what: Comment) -> Bool {
        let key = RealmFileFolder.isEncrypted(base) ? RealmFileFolder.key : nil
        var strict = RealmFileReading()
        var isRefused = false
        do {
            _ = try strict.read(try RealmFileReading.open(bytes, key: key))
        } catch {
            isRefused = true
            #expect(error is RealmFileError, what)
        }
        var salvage = RealmFileReading()
        do {
            _ = try salvage.read(try RealmFileReading.open(bytes, key: key, salvage: true))
            #expect(salvage.values >= strict.values, what)
        } catch {
            #expect(error is RealmFileError && isRefused, what)
        }
        return isRefused
    }

    /// `REALM_FILE_MUTATIONS=500000 swift test --filter anyDamageIsSurvived` runs that many.
    @Test func anyDamageIsSurvived() throws {
        let given = ProcessInfo.processInfo.environment["REALM_FILE_MUTATIONS"].flatMap { Int($0) }
        let names = ["small", "unusual", "old-format-11", "old-format-22", "empty-schema"]
        let files = try names.map { try RealmFileFolder.own.bytes($0 + ".realm") }
        var random = SeededGenerator()
        let seed = random.seed
        var refused = 0
        let count = given ?? 150
        for number in 0..<count {
            let name = names[number % files.count]
            let bytes = RealmFileMutation.damaged(files[number % files.count], &random)
            if survive(bytes, name, "seed \(seed), case \(number)") { refused += 1 }
        }
        // If no mutation is ever detected, the test proves nothing.
        #expect(refused > count / 20, "seed \(seed)")
    }
}
