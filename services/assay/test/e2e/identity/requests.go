package identity

import (
	"regexp"
	"strings"
)

// Request is a request of an operation.
type Request struct{ Method, Path, Body string }

// Requests returns a valid request of each operation of the public address, by method and path. It creates the items of
// owner that the requests name with post, which returns a field of the response.
func Requests(areas []Area, owner string, post func(path, body, field string) string) map[string]Request {
	a := join(areas)
	ids := a.create("a", post)
	ids["owner"] = owner
	all := map[string]Request{}
	for pattern, op := range a.Operations {
		all[pattern] = a.request(pattern, op, ids)
	}
	return all
}

// OperatorRequests returns a request of each operation of the operator addresses, by method and path. Writes are valid.
func OperatorRequests(areas []Area) map[string]Request {
	all := map[string]Request{}
	for pattern, write := range join(areas).operatorOperations() {
		method, path, _ := strings.Cut(pattern, " ")
		if write.Path != "" {
			path = write.Path
		}
		all[pattern] = Request{method, parameter.ReplaceAllString(path, "1"), write.Body}
	}
	return all
}

// parameter is a parameter of a path.
var parameter = regexp.MustCompile(`\{[^}]+\}`)

// request returns the request of an operation, with the ids inserted.
func (a Area) request(pattern string, op Operation, ids map[string]string) Request {
	method, path, _ := strings.Cut(pattern, " ")
	values := map[string]string{"ownerId": ids["owner"]}
	for _, item := range a.Items {
		if item.In == strings.Split(path, "/")[2] {
			values["id"] = ids[item.Name]
		}
	}
	for parameter, value := range op.Names {
		values[parameter] = value
		if id, item := ids[value]; item {
			values[parameter] = id
		}
	}
	path = insert(path, values)
	if op.Query != "" {
		path += "?" + insert(op.Query, ids)
	}
	return Request{method, path, insert(op.Body, ids)}
}
