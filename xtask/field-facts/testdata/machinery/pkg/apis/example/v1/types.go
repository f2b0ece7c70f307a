package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Zoo has its fields neither in the order of their names nor in that of their numbers.
type Zoo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Name     string          `json:"name" protobuf:"bytes,9,opt,name=name"`
	Animals  []Animal        `json:"animals,omitempty" protobuf:"bytes,2,rep,name=animals"`
	Director *metav1.Time    `json:"director" protobuf:"bytes,5,opt,name=director"`
	Since    metav1.Time     `json:"since,omitempty,omitzero" protobuf:"bytes,4,opt,name=since"`
	Map      map[string]Cage `json:"map" protobuf:"bytes,3,rep,name=map"`
	Picture  []byte          `json:"picture,omitempty" protobuf:"bytes,6,opt,name=picture"`
	Opening  Hours           `json:"opening" protobuf:"bytes,7,opt,name=opening"`
}

type (
	// Animal has fields in all shapes that are less usual.
	Animal struct {
		Traits   `json:",inline" protobuf:"bytes,2,opt,name=traits"`
		*Cage    `json:",inline,omitempty"`
		Others   map[string][]Cage          `json:",inline"`
		Blobs    [][]byte                   `json:"blobs"`
		Bytes    *[]byte                    `json:"bytes,omitempty"`
		Any      interface{}                `json:"any"`
		Rest     map[string]any             `json:"rest"`
		Raw      []runtime.RawExtension     `json:"raw"`
		Nested   map[Key]map[string]*string `json:"nested"`
		Port     int32                      `json:"Port" protobuf:"varint,1,opt,name=Port"`
		Unnamed  *bool                      `json:",omitempty"`
		Mistake  string                     `json:"mistake,omitemtpy" protobuf:"bytes,4,opt,name=mistake"`
		Private  string                     `json:"-"`
		Internal string                     `protobuf:"bytes,8,opt,name=internal"`
		NoNumber string                     "json:\"noNumber\" protobuf:\"-\" patchStrategy:\"merge\""
		cached   string
	}

	// Hours is not a struct.
	Hours map[string]string
	// Key is not a struct either.
	Key string
)

// Traits is embedded.
type Traits struct {
	Legs int `json:"legs"`
}

// Cage is embedded by pointer.
type Cage struct {
	Bars int `json:"bars"`
}

// Quantity has its own form in JSON.
type Quantity struct {
	Value string
	Unit  string `protobuf:"bytes,1,opt,name=unit"`
}

// Empty has no field.
type Empty struct{}

type hidden struct {
	Secret string `json:"secret"`
}
