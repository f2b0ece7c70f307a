package v1

// Timestamp is declared outside of types.go.
type Timestamp struct {
	Seconds int64 `json:"seconds" protobuf:"varint,1,opt,name=seconds"`
}
