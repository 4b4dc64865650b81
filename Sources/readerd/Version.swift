/// What `readerd --version` prints.
let readerdVersion = "0.1.0"
