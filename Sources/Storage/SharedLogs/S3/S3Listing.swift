#if S3
    import Foundation

    /// One page of the objects of a bucket, in the order of their names.
    struct S3Listing: Sendable {
        struct Object: Sendable, Hashable {
            let key: String
            let size: Int
        }

        let objects: [Object]
        /// Whether there are more pages.
        let isTruncated: Bool
        /// Names the next page, if there is one.
        let nextPage: String?

        /// Decodes the answer of a bucket; nil if it is none. Names of a log's objects need no
        /// unescaping.
        init?(_ body: [UInt8]) {
            let text = String(decoding: body, as: UTF8.self)
            // A truncated answer would look like the last page.
            guard text.contains("<ListBucketResult"), text.contains("</ListBucketResult>")
            else { return nil }
            var pieces = text.components(separatedBy: "<Contents>")
            let head = pieces.removeFirst()
            var objects: [Object] = []
            for piece in pieces {
                guard let key = Self.text(of: "Key", in: piece),
                    let size = Self.text(of: "Size", in: piece).flatMap({ Int($0) })
                else { return nil }
                objects.append(Object(key: key, size: size))
            }
            self.objects = objects
            // The element may be before or after the objects.
            let outside = head + (pieces.last?.components(separatedBy: "</Contents>").last ?? "")
            isTruncated = Self.text(of: "IsTruncated", in: outside)?.lowercased() == "true"
            nextPage = Self.text(of: "NextContinuationToken", in: outside)
        }

        /// Whether the names are in order, and after `last`.
        func isInOrder(after last: String) -> Bool {
            let names = [last] + objects.map(\.key)
            return zip(names, names.dropFirst()).allSatisfy { name, next in
                name.utf8.lexicographicallyPrecedes(next.utf8)
            }
        }

        /// The contents of the first element with a name.
        static func text(of element: String, in text: String) -> String? {
            guard let begin = text.range(of: "<\(element)>"),
                let end = text.range(of: "</\(element)>", range: begin.upperBound..<text.endIndex)
            else { return nil }
            return String(text[begin.upperBound..<end.lowerBound])
        }
    }
#endif
