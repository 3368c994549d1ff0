package identity

import (
	"regexp"
	"strings"
)

// Request is a request of an operation.
type Request struct{ Method, Path, Body string }

// Requests returns a valid request of each operation of the public address, by method and path. ids contains the ids of
// the items that the requests name: owner, file, photo, batch, node, folder and link.
func Requests(ids map[string]string) map[string]Request {
	all := map[string]Request{}
	for pattern, op := range operations {
		all[documentedAs(pattern)] = op.request(documentedAs(pattern), ids)
	}
	return all
}

// OperatorRequests returns a request of each operation of the operator addresses, by method and path. Writes are valid.
func OperatorRequests() map[string]Request {
	all := map[string]Request{}
	for _, pattern := range operatorOperations {
		method, path, _ := strings.Cut(pattern, " ")
		write := writes[pattern]
		if write.path != "" {
			path = write.path
		}
		all[pattern] = Request{method, regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "1"), write.body}
	}
	return all
}

// documentedAs returns the method and path of an operation of the public address in the API document.
func documentedAs(pattern string) string {
	return strings.NewReplacer("{owner}", "{ownerId}", "{link}", "{token}").Replace(pattern)
}

// request returns the request of an operation, with the ids inserted.
func (op operation) request(pattern string, ids map[string]string) Request {
	method, path, _ := strings.Cut(pattern, " ")
	area := map[string]string{"files": "file", "photos": "photo", "photo-batches": "batch", "library": "node"}[strings.Split(path, "/")[2]]
	fill := func(text string) string {
		for parameter, value := range op.names {
			if id, item := ids[value]; item {
				value = id
			}
			text = strings.ReplaceAll(text, "{"+parameter+"}", value)
		}
		text = strings.NewReplacer("{id}", ids[area], "{ownerId}", ids["owner"], "{token}", ids["link"], "{sourceId}", "rss%23nothing").Replace(text)
		for name, id := range ids {
			text = strings.ReplaceAll(text, "{"+name+"}", id)
		}
		return text
	}
	path = fill(path)
	if op.query != "" {
		path += "?" + fill(op.query)
	}
	return Request{method, path, fill(op.body)}
}
