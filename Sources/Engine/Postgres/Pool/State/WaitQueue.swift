/// A first-in, first-out queue that can also be searched.
final class WaitQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    func first(where test: (Element) -> Bool) -> Element? {
        for case let element? in elements[head...] where test(element) { return element }
        return nil
    }

    func append(_ element: Element) {
        elements.append(element)
    }

    func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.count <= 1024)
            head = 0
        } else if head >= 512 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    func count(where test: (Element) -> Bool) -> Int {
        elements[head...].count { element in element.map(test) ?? false }
    }

    /// Removes the first element for which `test` holds.
    func removeFirst(where test: (Element) -> Bool) -> Element? {
        for index in head..<elements.count {
            guard let element = elements[index], test(element) else { continue }
            if index == head { return removeFirst() }
            elements.remove(at: index)
            return element
        }
        return nil
    }

    /// Removes all elements, in order.
    func removeAll() -> [Element] {
        let all = elements[head...].compactMap { $0 }
        elements = []
        head = 0
        return all
    }

    /// Removes all elements for which `test` holds, in order; the others keep theirs.
    func remove(where test: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element?] = []
        for case let element? in elements[head...] {
            if test(element) { removed.append(element) } else { kept.append(element) }
        }
        guard !removed.isEmpty else { return [] }
        elements = kept
        head = 0
        return removed
    }
}
