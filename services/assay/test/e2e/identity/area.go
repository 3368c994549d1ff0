package identity

import (
	"maps"
	"strings"
)

// Area states who may call the operations of an area. Every operation in an API document must be listed. Operations are
// named by method and path, as in the document.
type Area struct {
	Items      []Item               // in the order in which they are created
	Operations map[string]Operation // of the public address
	Reads      []string             // operations for operators that read
	Writes     map[string]Write     // operations for operators that write
}

// Item is an item that requests name. Its body can contain {marker}, which must be part of the name of the item, and the
// names of earlier items in braces.
type Item struct {
	Name       string        // in braces, it stands for the id of the item
	In         string        // {id} in paths below /v1/<In>/ is the id of this item
	Path, Body string        // of the POST request that creates it
	Field      string        // the field of the response with its id
	Unknown    func() string // returns the id of an item that does not exist; nil if every caller may use the id
	Shown      string        // the path of the GET request that shows it; empty if none does
}

// Kind states which callers an operation accepts.
type Kind int

const (
	Public Kind = iota // everyone; credentials are ignored
	Common             // every caller with a credential, for its own items or the feed
	Own                // the owner of the item that the request names
	Linked             // everyone with a share link, even without a credential
)

// Operation is a valid request. {x} in path, query and body is replaced by the id of the item named x.
type Operation struct {
	Kind  Kind
	Query string
	Body  string
	// Names maps parameters of the path to names of items, or to values. By default, {id} is the item of the path.
	Names map[string]string
	// Absent means that the owner can get 404 too, because the item lacks the requested resource.
	Absent bool
	// Silent means that the response can be 204 whether or not the item exists.
	Silent bool
}

// Write is a request for an operator's write operation, with its expected status.
type Write struct {
	Path, Body string // path of the request; empty means the path of the operation
	Status     int
	Repeated   int // status of the second request, if it differs
}

// join returns the operations of all areas and of the platform.
func join(areas []Area) Area {
	all := Area{Operations: map[string]Operation{}, Writes: map[string]Write{}}
	for _, a := range append([]Area{platform()}, areas...) {
		all.Items = append(all.Items, a.Items...)
		all.Reads = append(all.Reads, a.Reads...)
		maps.Copy(all.Operations, a.Operations)
		maps.Copy(all.Writes, a.Writes)
	}
	return all
}

// operatorOperations returns the operations for operators. Requests need not be valid, because the role is checked first.
func (a Area) operatorOperations() map[string]Write {
	all := maps.Clone(a.Writes)
	for _, pattern := range a.Reads {
		all[pattern] = Write{}
	}
	return all
}

// create creates an item of each kind with post, and returns their ids by name.
func (a Area) create(marker string, post func(path, body, field string) string) map[string]string {
	ids := map[string]string{"marker": marker}
	for _, item := range a.Items {
		ids[item.Name] = post(insert(item.Path, ids), insert(item.Body, ids), item.Field)
	}
	delete(ids, "marker")
	return ids
}

// insert replaces the names of items in a text by their ids.
func insert(text string, ids map[string]string) string {
	for name, id := range ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}
