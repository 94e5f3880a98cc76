export {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, InstancedMesh, Line,
  LineBasicMaterial, LineLoop, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  OrthographicCamera, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, Shape, ShapeGeometry,
  SphereGeometry, Vector2, Vector3, WebGLRenderer, CircleGeometry,
} from 'three';
export { OrbitControls } from 'three/addons/controls/OrbitControls.js';
