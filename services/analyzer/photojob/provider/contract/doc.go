// Package contract contains tests that compare the adapters of paid providers with the official
// SDKs.
package contract
