package expr

import (
	"encoding/binary"
	"strings"
	"sync"
)

// Limits of a cache: the number of expressions, and the size of a key in bytes.
const (
	maxCached   = 1024
	maxCacheKey = 1024
)

// Cache stores parsed and checked conditions and updates, because programs repeat
// the same expressions with other values. Its methods may be called concurrently.
// The zero Cache is empty.
type Cache struct {
	mu     sync.Mutex
	parsed map[string]any
}

func (c *Cache) get(key []byte) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parsed[string(key)]
}

// put adds an entry. It clears a full cache first; frequent expressions are soon
// cached again.
func (c *Cache) put(key []byte, parsed any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil || len(c.parsed) >= maxCached {
		c.parsed = map[string]any{}
	}
	c.parsed[string(key)] = parsed
}

// Keep makes the scope use the cache for conditions and updates.
func (s *Scope) Keep(c *Cache) { s.cache = c }

// recall returns the result of parse, or the cached result if there is one. parse
// reports whether the result depends on the key only.
func recall[T any](s *Scope, label, src string, parse func() (x T, constant bool, err error)) (T, error) {
	if s.cache == nil || len(src) > maxCacheKey {
		x, _, err := parse()
		return x, err
	}
	key := s.appendKey(make([]byte, 0, 256), label, src)
	if x, ok := s.cache.get(key).(T); ok {
		return x, nil
	}
	x, constant, err := parse()
	if err == nil && constant && len(key) <= maxCacheKey {
		s.cache.put(key, x)
	}
	return x, err
}

// appendKey appends the expression, the names of its placeholders and the kinds
// of its values. It marks them as used, as parsing does.
func (s *Scope) appendKey(key []byte, label, src string) []byte {
	key = append(append(key, label...), 0)
	key = append(binary.AppendUvarint(key, uint64(len(src))), src...)
	for rest := src; ; {
		start := strings.IndexAny(rest, "#:")
		if start < 0 {
			return key
		}
		end := wordEnd(rest, start+1)
		placeholder := rest[start:end]
		if placeholder[0] == ':' {
			v, _ := s.value(placeholder)
			key = append(key, byte(v.Kind))
		} else {
			name, _ := s.name(placeholder) // an undefined name makes parse fail, so nothing is cached
			key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
		}
		rest = rest[end:]
	}
}
