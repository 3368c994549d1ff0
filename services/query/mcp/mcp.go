// Package mcp lets language models read what a caller may read, by the Model Context Protocol. Each tool makes calls of the HTTP
// API with the credential of its request, so the permissions, limits and errors are those of the API.
package mcp

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-project/assay/pkg/web"
)

// Config holds the settings of the protocol.
type Config struct {
	Enabled bool `env:"ASSAY_MCP" doc:"serve the Model Context Protocol at /mcp, for reading with the caller's credential"`
}

// maxBody is the maximum size of a request in bytes. Arguments are short.
const maxBody = 1 << 20

// Routes serves the protocol at /mcp, without sessions, if it is enabled. The tools call r.
func (c Config) Routes(r *web.Router) {
	if !c.Enabled {
		return
	}
	cache := mcp.NewSchemaCache()
	handler := mcp.NewStreamableHTTPHandler(func(req *http.Request) *mcp.Server {
		return server(caller{api: r, request: req}, cache)
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // the router checks hosts and origins
	})
	r.Mux.HandleFunc("/mcp", func(w http.ResponseWriter, req *http.Request) {
		// A client asks for a credential if it needs one before it lists the tools.
		if a := (caller{api: r, request: req}).answer(req.Context(), "/v1/me", nil); a.status >= http.StatusBadRequest {
			a.copyTo(w)
			return
		}
		handler.ServeHTTP(w, req)
	})
}
