package dynamolite

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// Limits of keys, in bytes (DynamoDB Developer Guide, "Service, account and
// table quotas").
const (
	maxHashKey  = 2048
	maxRangeKey = 1024
)

// keyAttribute is one attribute of a key schema.
type keyAttribute struct {
	Name string
	Kind attr.Kind // S, N or B
}

// keySchema is a partition key with an optional sort key.
type keySchema struct {
	Hash  keyAttribute
	Range *keyAttribute `json:",omitempty"`
}

func (k keySchema) attributes() []keyAttribute {
	if k.Range == nil {
		return []keyAttribute{k.Hash}
	}
	return []keyAttribute{k.Hash, *k.Range}
}

func (k keySchema) has(name string) bool {
	return name == k.Hash.Name || k.Range != nil && name == k.Range.Name
}

// fits reports whether item has the key attributes with the right kinds.
func (k keySchema) fits(item attr.Item) bool {
	for _, a := range k.attributes() {
		if item.Of(a.Name).Kind != a.Kind {
			return false
		}
	}
	return true
}

// appendPartition appends the encoding of a partition key, preceded by a 4-byte
// hash of it. The hash spreads partitions as DynamoDB does, so that Scan has no
// order that a caller could rely on, and the segments of a parallel Scan are
// ranges.
func appendPartition(dst []byte, hash attr.Value) []byte {
	start := len(dst)
	dst = attr.AppendKey(append(dst, 0, 0, 0, 0), hash)
	sum := crc32.Checksum(dst[start+4:], crc32.MakeTable(crc32.Castagnoli))
	binary.BigEndian.PutUint32(dst[start:], sum)
	return dst
}

// encode returns the storage key of item, which must have the key attributes
// with the right kinds.
func (k keySchema) encode(item attr.Item) []byte {
	key := appendPartition(make([]byte, 0, 64), item.Of(k.Hash.Name))
	if k.Range != nil {
		key = attr.AppendKey(key, item.Of(k.Range.Name))
	}
	return key
}

// fromKey checks a request's Key parameter and returns its storage key.
func (k keySchema) fromKey(key attr.Item) ([]byte, error) {
	if err := key.Validate(); err != nil {
		return nil, err
	}
	if len(key) != len(k.attributes()) || !k.fits(key) {
		return nil, invalid(msgKeySchema)
	}
	if err := k.checkSizes(key); err != nil {
		return nil, err
	}
	return k.encode(key), nil
}

const msgKeySchema = "The provided key element does not match the schema"

// fromItem checks the key attributes of an entire item and returns its storage
// key.
func (k keySchema) fromItem(item attr.Item) ([]byte, error) {
	for _, a := range k.attributes() {
		v, ok := item.Get(a.Name)
		if !ok {
			return nil, invalidParameters("Missing the key " + a.Name + " in the item")
		}
		if v.Kind != a.Kind {
			return nil, invalidParameters("Type mismatch for key " + a.Name + " expected: " + a.Kind.String() + " actual: " + v.Kind.String())
		}
	}
	if err := k.checkSizes(item); err != nil {
		return nil, err
	}
	return k.encode(item), nil
}

func (k keySchema) checkSizes(item attr.Item) error {
	if size := len(item.Of(k.Hash.Name).Str); size > maxHashKey {
		return invalidParameters("Size of hashkey has exceeded the maximum size limit of2048 bytes")
	}
	if k.Range != nil && len(item.Of(k.Range.Name).Str) > maxRangeKey {
		return invalidParameters("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
	}
	for _, a := range k.attributes() {
		if v := item.Of(a.Name); v.Kind != attr.N && v.Str == "" {
			return emptyKey(v, "", "Key: "+a.Name)
		}
	}
	return nil
}

// errEmptyKey marks the only key error that fails the entire request of a
// transaction. The others become the cancellation reason of one action.
type errEmptyKey struct{ *apiError }

func (e errEmptyKey) Unwrap() error { return e.apiError }

// emptyKey returns the error for an empty key value. where names the attribute;
// preface is an additional sentence for indexes.
func emptyKey(v attr.Value, preface, where string) error {
	kind := "string"
	if v.Kind == attr.B {
		kind = "binary"
	}
	return errEmptyKey{&apiError{code: "ValidationException", message: "One or more parameter values are not valid. " + preface + "The AttributeValue for a key attribute cannot contain an empty " + kind + " value. " + where}}
}
