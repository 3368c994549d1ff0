package embedded

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v3"
)

// noSniffing makes browsers use the media type of an object instead of guessing one from its content.
func noSniffing(ctx fiber.Ctx) error {
	ctx.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return ctx.Next()
}

// onlySigned rejects presigned uploads with unsigned headers that would be stored with the object:
// the client must not change what was signed. It drops an unsigned Cache-Control, which browsers add
// to a request with If-None-Match (Fetch standard, HTTP-network-or-cache fetch).
func onlySigned(ctx fiber.Ctx) error {
	type denied struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	request := ctx.Request()
	query := request.URI().QueryArgs()
	if ctx.Method() != http.MethodPut || !query.Has("X-Amz-Signature") {
		return ctx.Next()
	}
	signed := strings.Split(strings.ToLower(string(query.Peek("X-Amz-SignedHeaders"))), ";")
	if !slices.Contains(signed, "cache-control") {
		request.Header.Del("Cache-Control")
	}
	var unsigned []string
	for name := range request.Header.All() {
		if name := strings.ToLower(string(name)); isStored(name) && !slices.Contains(signed, name) {
			unsigned = append(unsigned, name)
		}
	}
	if len(unsigned) == 0 {
		return ctx.Next()
	}
	return ctx.Status(http.StatusForbidden).XML(denied{
		Code: "AccessDenied", Message: "There were headers present in the request which were not signed: " + strings.Join(unsigned, ", "),
	})
}

// isStored reports whether a header, in lower case, sets metadata of an object.
func isStored(name string) bool {
	switch name {
	case "content-encoding", "content-language", "content-disposition", "cache-control", "expires":
		return true
	case "x-amz-content-sha256", "x-amz-date", "x-amz-user-agent":
		return false
	}
	return strings.HasPrefix(name, "x-amz-")
}
