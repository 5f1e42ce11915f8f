using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "disk", disk = (path = "data", writable = true)) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ] );
const worker :Workerd.Worker = (
  modules = [ (name = "object.mjs", esModule = embed "object.mjs") ],
  compatibilityDate = "COMPATIBILITY",
  durableObjectNamespaces = [ (className = "Scripted", uniqueKey = "object", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [ (name = "OBJECT", durableObjectNamespace = "Scripted") ] );
